"""What mail programs, lists and news sites write around texts, in many languages, in small letters."""


def _listed(phrases: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in phrases.replace("\n", " ").split("|"))


REPLY_MARKS = frozenset(
    _listed("""re|r|fw|fwd|aw|antw|antwort|wg|wtr|sv|vs|vb|vl|ref|refs|res|rif|i|odp|pd|ynt|ilt|rv|enc|tr|tf|bls|vá
    |továbbítás|atb|rè|réf|ang|doorst|fs|答复|回复|回覆|轉寄|转发|轉發|返信|転送|답장|전달|отв|ответ|пересл|σχετ|απ|προθ|πρθ
    |תשובה|הועבר|رد|توجيه|přep|odpověď""")
)
WROTE = _listed("""wrote|writes|said|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|napsal|napsala|skrev|kirjoitti
    |napisał|napisała|pisze|írta|yazdı|написал|написала|пишет|писал|έγραψε|ha escrit|a scris|rašė|viết|כתב|كتب|写道|寫道
    |さんは書きました|님이 작성""")
WHEN = tuple(
    f"{word} " for word in _listed("on|am|le|el|il|op|em|dne|den|w dniu|dnia|at|a|pe|в|στις|il giorno|ngày|tarihinde")
)
ORIGINAL = frozenset(
    _listed("""original message|original-nachricht|ursprüngliche nachricht|message d'origine|message original
    |mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|исходное сообщение|původní zpráva
    |wiadomość oryginalna|oryginalna wiadomość|alkuperäinen viesti|ursprungligt meddelande|oprindelig meddelelse
    |opprinnelig melding|eredeti üzenet|orijinal mesaj|mesajul original|原始邮件|原始郵件|元のメッセージ|원본 메시지""")
)
FORWARDED = _listed("""forwarded message|begin forwarded|weitergeleitete nachricht|message transféré|mensaje reenviado
    |messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|пересланное сообщение|转发的邮件|転送メッセージ""")
HEADERS = _listed("""from:|to:|cc:|bcc:|date:|sent:|subject:|reply-to:|message-id:|von:|an:|gesendet:|datum:|betreff:
    |de :|de:|à :|envoyé :|objet :|enviado:|para:|asunto:|assunto:|da:|a:|inviato:|oggetto:|van:|aan:|verzonden:
    |onderwerp:|от:|кому:|тема:|发件人:|收件人:|主题:|差出人:|宛先:|件名:""")
NOTES = _listed("""[[alternative html version deleted]]|-----begin pgp signed message-----
    |an html attachment was scrubbed|a non-text attachment was scrubbed|-------------- next part --------------
    |an embedded and charset-unspecified text was scrubbed|name: not available|desc: not available|url: <http
    |content-type:|content-transfer-encoding:|content-disposition:""")
FOOTERS = _listed("""mailing list|listinfo|unsubscri|you received this message because|you are receiving this
    |to post to this group|sent from my|get outlook for|do you yahoo|this email has been checked for viruses
    |this email was sent from|this message is intended only|mailingliste|abbestellen|iphone gesendet|désabonner
    |désinscrire|envoyé de mon|cancelar la suscripción|enviado desde mi|inviato da|verzonden met|отписаться|отправлено с
    |退订|配信停止""")
BOILERPLATE = _listed("""
    all rights reserved|sign up for our|sign up to our|subscribe to|subscribe now|follow us on|share this
    |share on facebook|share on twitter|read more:|read also:|related articles|click here to|terms of use
    |privacy policy|cookie|enable javascript|image copyright|getty images|this story has been updated
    |our standards: the thomson reuters|reporting by|editing by|newsletter|alle rechte vorbehalten|lesen sie auch
    |mehr zum thema|tous droits réservés|lire aussi|abonnez-vous|todos los derechos reservados|lea también
    |suscríbete|tutti i diritti riservati|leggi anche|todos os direitos reservados|leia também|все права защищены
    |читайте также|版权所有|無断転載""")
BOILERPLATE_STARTS = _listed(
    "©|(c) 20|copyright|advertisement|anzeige|publicité|publicidad|read more|photo:|image:|source:"
)
