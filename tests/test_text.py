"""Words of texts: what counts as one, in any script, in linear time; fields and their weights."""

import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text import Fields, TextSettings, count_words, is_shown, spelled
from service.text.detection import language_of
from service.text.shapes import LONGEST, SHORTEST
from service.text.stems import LANGUAGES_AT_HAND, REMEMBERED, SPELLINGS, stems
from service.text.words import MOST, words_of

PLAIN = TextSettings(format="plain", language="en")
HOSTILE = {
    "one letter": "a",
    "dots": ".",
    "letter and dot": "a.",
    "one mark": "\u0301",
    "marks out of order": "\u0301\u0323",
    "letters with marks": "a\u0301\u0323 ",
    "dots after a letter outside ASCII": "é.",
    "characters that become eighteen": "\ufdfa\ufdfa ",
    "bold letters": "\U0001d56c",
    "joiners": "a\u200d",
    "underscores": "ß_",
    "short words": "ab ",
    "capital sharp s": "ẞẞ ",
    "capital letters": "ẞ ",
    "dotted capitals": "İ ",
    "letters of a rare plane": "\U0001d56c ",
    "marks of signatures": "--\n",
    "Han": "漢",
    "Thai": "ก",
    "quotes": ">",
    "quoted lines": ">\n",
    "quoted words": "> a\n",
    "links": "http://a.b/c ",
    "schemes": "http://",
    "addresses": "a@b.c ",
    "at signs": "a@",
    "lines that end in a colon": "a:\n",
    "attributions": "On 1 May a@b.c wrote:\n",
    "empty lines": "\n",
    "signatures": "-- \n",
    "footers": "unsubscribe\n",
    "rules": "_____\n",
    "encoded files": "begin 644 x\n",
    "base64": "aB3",
    "replies": "Re: ",
    "tags": "[",
    "open tags": "<p>",
    "tags of pages": "<p></p>",
    "blanks": " ",
    "zeros": "\u0000",
}


def test_words_are_folded_and_stop_words_and_numbers_left_out() -> None:
    assert words_of("The Bridge, over the RIVER; don't 2026 b2b x ½") == ["bridg", "river", "b2b"]
    assert words_of("foo_bar foo-bar") == ["foo", "bar", "foo", "bar"]


def test_identifiers_that_nobody_repeats_are_left_out() -> None:
    assert words_of("commit 9f86d081884c7d65 of build b1234") == ["commit", "build", "b1234"]


def test_spellings_of_the_same_word_are_one_word() -> None:
    assert count_words(Fields(None, "Café CAFÉ cafe\u0301 ｃａｆé"), PLAIN) == {"café": 4}
    assert count_words(Fields(None, "Straße STRASSE"), TextSettings("plain", "de")) == {"strass": 2}


def test_forms_of_a_word_are_one_word_that_is_shown_as_people_write_it() -> None:
    assert count_words(Fields(None, "bridges bridge bridging"), PLAIN) == {"bridg": 3}
    assert spelled("bridg") == "bridge"
    assert spelled("never seen") == "never seen"


def test_languages_have_their_own_stop_words_and_stems() -> None:
    german = "Die Brücken über den Fluss wurden wegen des Hochwassers für alle Fahrzeuge gesperrt, sagte die Polizei."
    assert language_of(german) == "de"
    assert words_of(german, "de")[:3] == ["bruck", "fluss", "hochwass"]
    assert words_of("Les ponts de la rivière sont fermés", "fr") == ["pont", "rivi", "ferm"]
    assert words_of("мосты через реку закрыты", "ru")[0] == "мост"


@pytest.mark.parametrize("text", ["", "ok", "1234", "\u0000\ufffe", "spd talks coalition"])
def test_what_is_too_short_to_tell_is_taken_as_english(text: str) -> None:
    assert language_of(text) == "en"


def test_scripts_that_spell_with_marks_are_not_cut() -> None:
    assert words_of("हिन्दी भाषा", "la") == ["हिन्दी", "भाषा"]
    assert words_of("עִבְרִית", "la") == [unicodedata.normalize("NFKC", "עִבְרִית")]


def test_scripts_without_spaces_are_cut_into_pairs_and_triples() -> None:
    assert words_of("東京タワー", "la") == ["東京", "京タ", "タワ", "ワー"]
    assert words_of("水", "la") == ["水"]
    assert words_of("new手机app", "la") == ["new", "手机", "app"]
    assert words_of("กรุงเทพ", "la")[:2] == ["กรุ", "รุง"]
    assert words_of("ﾄｳｷｮｳ", "la") == words_of("トウキョウ", "la")


def test_links_become_hosts_and_addresses_stay_whole() -> None:
    assert words_of("see <https://www.Example.org:80/a/b?utm=1>, or mail Anna@Example.org.") == [
        "mail",
        "example.org",
        "anna@example.org",
    ]
    assert words_of("x:http://click.shop.example/track") == []
    assert words_of("not@ an@address bridge") == ["address", "bridg"]


def test_fields_have_weights() -> None:
    fields = Fields("Re: [list] River bridges", "bridge flood", "Anna Lee <Anna@example.org>", None)
    assert list(count_words(fields, TextSettings(language="en")).items()) == [("river", 5), ("bridg", 6), ("flood", 1)]
    settings = TextSettings(language="en", title_weight=0, author_weight=2)
    assert count_words(fields, settings) == {"bridg": 1, "flood": 1, "anna@example.org": 2}
    assert count_words(fields._replace(author="Anna Krall"), settings)["krall"] == 2


def test_messages_that_refer_to_each_other_share_words_only_if_the_stream_says_so() -> None:
    first = Fields(None, "alpha", None, {"message_id": "<a@x>"})
    second = Fields(
        None, "beta", None, {"message_id": "<b@x>", "in_reply_to": "<a@x>", "references": ["<0@x>", "<a@x>"]}
    )
    settings = TextSettings(reply_weight=2)
    one, other = count_words(first, settings), count_words(second, settings)
    assert {word: one[word] for word in one.keys() & other.keys()} == {"message:a@x": 2}
    assert not any(is_shown(word) for word in one.keys() & other.keys())
    assert count_words(first, TextSettings()).keys().isdisjoint(count_words(second, TextSettings()))


@pytest.mark.parametrize("value", [None, 7, {}, [], [None, 3, {"a": 1}], "", "<>", " , "])
def test_any_metadata_is_taken(value: object) -> None:
    fields = Fields(None, "alpha", None, {"message_id": value, "references": value, "in_reply_to": value})
    assert count_words(fields, TextSettings(reply_weight=1)) == {"alpha": 1}


def test_references_are_bounded() -> None:
    fields = Fields(None, None, None, {"references": " ".join(f"<{n}@x>" for n in range(1000))})
    assert 1 < len(count_words(fields, TextSettings(reply_weight=1))) < 30


def test_pages_lose_their_markup() -> None:
    page = "<html><body><p>River <b>bridge</b></p><script>evil()</script></body></html>"
    assert count_words(Fields(None, page), TextSettings()) == {"river": 1, "bridg": 1}
    assert "script" in count_words(Fields(None, page), PLAIN)


def test_length_and_number_of_words_are_bounded() -> None:
    assert words_of("a" * LONGEST) == ["a" * LONGEST]
    assert words_of("a" * (LONGEST + 1)) == []
    assert len(words_of("word " * (MOST + 5))) == MOST


def test_what_is_remembered_is_bounded() -> None:
    known = stems("eu")
    for number in range(REMEMBERED + 10):
        known[f"w{number}"]
    assert len(known) <= REMEMBERED
    assert len(SPELLINGS) <= REMEMBERED
    for language in ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "fi"):
        stems(language)
    assert stems.cache_info().currsize <= LANGUAGES_AT_HAND


@given(st.text(max_size=200), st.sampled_from(["en", "de", "ja", "th", "tr", "ar", "la"]))
def test_any_text_gives_clean_words(text: str, language: str) -> None:
    for word in words_of(text, language):
        assert 1 <= len(word) <= LONGEST
        assert len(word) >= SHORTEST or not word.isascii() or language == "tr"
        assert not word.isnumeric()
        assert not any(c.isspace() or c == "_" for c in word) or "@" in word


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(["auto", "mail", "news", "plain"]))
def test_any_document_can_be_counted(title: str, text: str, form: str) -> None:
    counts = count_words(Fields(title, text, title, {"references": text}), TextSettings(form, "auto", 2, 1, 1))  # type: ignore[arg-type]
    assert all(word and count > 0 for word, count in counts.items())


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


@pytest.mark.parametrize("form", ["mail", "news"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_cost_no_more_than_their_length(name: str, form: str) -> None:
    piece = HOSTILE[name]
    settings = TextSettings(form, author_weight=1)  # type: ignore[arg-type]
    count_words(Fields("é", "é"), settings)  # builds the pattern

    def cost(characters: int) -> float:
        text = piece * (characters // len(piece))
        fields = Fields(text[:1000], text, text[:500])
        return min(seconds(lambda: count_words(fields, settings)) for _ in range(3))

    whole, double = cost(100_000), cost(200_000)
    assert whole < 0.05
    assert double < 4 * whole + 0.005
