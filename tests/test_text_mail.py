"""What people wrote in mail and articles, without what programs, lists and sites put around it."""

import pytest

from service.text.junk import without_encoded
from service.text.mail import body_of, looks_like_mail
from service.text.markup import looks_like_html
from service.text.news import article_of
from service.text.subjects import subject_of

SUBJECTS = {
    "Re: bridge closed": "bridge closed",
    "RE: Re: AW: bridge closed": "bridge closed",
    "Re[2]: bridge closed": "bridge closed",
    "Fwd: FW: [list] Re: bridge closed": "bridge closed",
    "[r-devel] bridge closed (fwd)": "bridge closed",
    "SV: bro stengt": "bro stengt",
    "Antw: brug dicht": "brug dicht",
    "RIF: ponte chiuso": "ponte chiuso",
    "TR : pont fermé": "pont fermé",
    "Odp: most zamknięty": "most zamknięty",
    "回复：桥梁关闭": "桥梁关闭",
    "Отв: мост закрыт": "мост закрыт",
    "Bridge: closed": "Bridge: closed",
    "[closed]": "[closed]",
    "Re:": "Re:",
    "": "",
}
ATTRIBUTIONS = (
    "On Thu, Dec 31, 2009 at 11:27 PM, Anna Lee <anna at example.org> wrote:",
    "On Thu, Dec 31, 2009 at 11:27 PM, Anna Lee\n<anna@example.org> wrote:",
    "On Thursday 31 December 2009, Anna Lee\nwrote:",
    "Am 31.12.2009 um 23:27 schrieb Anna Lee:",
    "Le 31 déc. 2009 à 23:27, Anna Lee a écrit :",
    "El 31/12/2009, Anna Lee escribió:",
    "Il giorno 31/dic/09, alle ore 23:27, Anna Lee ha scritto:",
    "Op 31 dec. 2009 om 23:27 schreef Anna Lee:",
    "Em 31/12/2009 Anna Lee escreveu:",
    "Den 31 dec 2009 kl. 23.27 skrev Anna Lee:",
    "W dniu 31.12.2009 o 23:27, Anna Lee pisze:",
    "31.12.2009 23:27, Anna Lee пишет:",
    "Anna Lee <anna@example.org> 于2009年12月31日写道：",
    ">>>>> Anna Lee <anna@example.org> writes:",
)


@pytest.mark.parametrize("title", SUBJECTS)
def test_subjects_lose_what_programs_put_before_them(title: str) -> None:
    assert subject_of(title) == SUBJECTS[title]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_quoted_replies_go_with_the_line_on_who_wrote_them(attribution: str) -> None:
    assert body_of(f"Good idea.\n\n{attribution}\n> old text\n>> older\n\nMy answer.").split("\n") == [
        "Good idea.",
        "My answer.",
    ]


def test_lines_that_only_end_in_a_colon_stay() -> None:
    text = "Three things are open:\nthe bridge, as 3 people said:\nno"
    assert body_of("Three things are open:\nthe bridge") == "Three things are open:\nthe bridge"
    assert "Three things are open:" in body_of(text)


def test_whole_messages_below_a_reply_go() -> None:
    text = "I agree.\n\n-----Original Message-----\nFrom: Anna\nSent: Monday\nSubject: bridge\n\nThe bridge is closed."
    assert body_of(text) == "I agree."
    assert body_of(text.replace("Original Message", "Ursprüngliche Nachricht")) == "I agree."


def test_forwarded_messages_keep_their_text_without_headers() -> None:
    text = "---------- Forwarded message ----------\nFrom: Anna\nDate: Monday\nSubject: bridge\n\nThe bridge is closed."
    assert body_of(text) == "The bridge is closed."


def test_signatures_and_list_footers_go() -> None:
    footer = "_" * 47 + "\nR-devel at r-project.org mailing list\nhttps://stat.example.org/mailman/listinfo/r-devel"
    assert body_of(f"The bridge is closed.\n-- \nAnna Lee\nphone 123\n{footer}") == "The bridge is closed."
    assert body_of(f"The bridge is closed.\n\n{footer}") == "The bridge is closed."
    assert body_of("The bridge is closed.\nSent from my iPhone") == "The bridge is closed."
    assert body_of("The bridge is closed.\n[[alternative HTML version deleted]]") == "The bridge is closed."


def test_a_rule_in_a_long_text_is_no_signature() -> None:
    text = "\n".join(["first part", "--", *(f"line {n}" for n in range(40))])
    assert body_of(text) == text


def test_what_a_list_leaves_of_attachments_goes() -> None:
    note = "An embedded and charset-unspecified text was scrubbed...\nName: not available\nURL: <http://a.b/x.pl>"
    assert body_of(f"The bridge is closed.\n-------------- next part --------------\n{note}") == "The bridge is closed."


def test_bars_quote_but_rows_of_tables_stay() -> None:
    assert body_of("yes\n| no\n| bridge | open |") == "yes\n| bridge | open |"


def test_encoded_files_go() -> None:
    uu = ["begin 644 cat.txt", "#0V%T", "`", "end"]
    assert without_encoded(["before", *uu, "after"]) == ["before", "after"]
    assert without_encoded(["a", "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 3 + "==", "b"]) == ["a", "b"]
    assert without_encoded(["begin 644 of something", "is text all the same"]) == ["is text all the same"]


def test_a_mail_of_quotes_alone_keeps_them() -> None:
    assert body_of("> the bridge\n> is closed") == "> the bridge\n> is closed"


def test_mail_and_pages_are_recognised() -> None:
    assert looks_like_mail("yes\n> no")
    assert looks_like_mail("yes\nAnna wrote:\nno")
    assert not looks_like_mail("The bridge over the river is closed.\nIt opens in May.")
    assert looks_like_html("<p>closed</p>")
    assert looks_like_html("closed<br>open")
    assert not looks_like_html("if a < b and c </ d then e > f")


def test_articles_lose_the_lines_of_their_site() -> None:
    text = "The bridge is closed.\nRead more: Bridges of the world\n© 2026 The Times\nIt opens in May."
    assert article_of(text) == "The bridge is closed.\nIt opens in May."
    assert article_of("All rights reserved") == "All rights reserved"
