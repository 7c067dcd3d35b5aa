"""A document's fields to counts of words: what the model sees of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .detection import language_of
from .html import html_to_text
from .links import address_in
from .mail import body_of, looks_like_mail
from .markup import looks_like_html
from .names import NAME, names_of
from .news import article_of
from .settings import AUTO, TextSettings
from .subjects import subject_of
from .words import words_of

TEXT_VERSION = 2
NAME_WEIGHT = 2  # of names in news
MESSAGE = "message:"  # before the ids of messages, which no word of a text looks like
MOST_MESSAGES = 20  # the newest of those that a mail refers to
REFERRING = ("message_id", "in_reply_to", "references")  # keys of metadata


class Fields(NamedTuple):
    """What a document may have to say; metadata as the client gave it."""

    title: str | None = None
    text: str | None = None
    author: str | None = None
    metadata: Mapping[str, Any] | None = None


def count_words(fields: Fields, settings: TextSettings) -> dict[str, int]:
    """How often each word counts, in the order of first occurrence: weighted by field."""
    title, text = clean(fields, settings.format)
    language = settings.language if settings.language != AUTO else language_of(f"{title} {text}")
    counts: Counter[str] = Counter()
    if title:
        _add(counts, words_of(title, language), settings.title_weight)
    _add(counts, words_of(text, language), 1)
    if settings.format == "news":
        _add(counts, names_of(f"{title} {text}", language), NAME_WEIGHT)
    if settings.author_weight and fields.author:
        address = address_in(fields.author)
        _add(counts, [address] if address else words_of(fields.author, language), settings.author_weight)
    if settings.reply_weight and fields.metadata:
        _add(counts, _messages(fields.metadata), settings.reply_weight)
    return dict(counts)


def is_shown(word: str) -> bool:
    """Whether a word means something to a reader."""
    return not word.startswith((MESSAGE, NAME))


def clean(fields: Fields, form: str) -> tuple[str, str]:
    """Title and text as a reader would take them in."""
    title, text = fields.title or "", fields.text or ""
    if form == "plain":
        return title, text
    if looks_like_html(text):
        text = html_to_text(text)
    subject = subject_of(title)
    is_mail = form == "mail" or (form == AUTO and (len(subject) < len(title.strip()) or looks_like_mail(text)))
    return subject, body_of(text) if is_mail else article_of(text)


def _messages(metadata: Mapping[str, Any]) -> list[str]:
    """The message and those it answers, as words that the messages of a conversation share."""
    ids: list[str] = []
    for key in REFERRING:
        given = metadata.get(key)
        listed = given if isinstance(given, list) else [given]
        ids += [part for item in listed if isinstance(item, str) for part in item.split()]
    plain = (one.strip("<>,;") for one in ids[:1] + ids[1:][-MOST_MESSAGES:])
    return [MESSAGE + one[:200] for one in dict.fromkeys(plain) if one]


def _add(counts: Counter[str], words: Iterable[str], weight: int) -> None:
    if weight == 1:
        counts.update(words)
    elif weight:
        for word in words:
            counts[word] += weight
