"""Words of texts: what counts as one, in any script, and in linear time."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text import count_words, words_of
from service.text.words import LONGEST, MOST, SHORTEST

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
}


def words(text: str) -> list[str]:
    return list(words_of(text))


def test_words_are_folded_and_stop_words_and_numbers_left_out() -> None:
    assert words("The Bridge, over the RIVER; don't 2026 b2b x ½") == ["bridge", "river", "b2b"]
    assert words("foo_bar foo-bar") == ["foo", "bar", "foo", "bar"]


def test_spellings_of_the_same_word_are_one_word() -> None:
    assert count_words("Café CAFÉ cafe\u0301 ｃａｆé") == {"café": 4}
    assert count_words("Straße STRASSE") == {"strasse": 2}


def test_scripts_that_spell_with_marks_are_not_cut() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words("עִבְרִית") == [unicodedata.normalize("NFKC", "עִבְרִית")]


def test_title_and_text_count_together_in_order() -> None:
    assert list(count_words("river bridge", None, "bridge flood").items()) == [
        ("river", 1),
        ("bridge", 2),
        ("flood", 1),
    ]


def test_length_and_number_of_words_are_bounded() -> None:
    assert words("a" * LONGEST) == ["a" * LONGEST]
    assert words("a" * (LONGEST + 1)) == []
    assert sum(count_words("word " * (MOST + 5), "more").values()) == MOST


@given(st.text(max_size=200))
def test_any_text_gives_clean_words(text: str) -> None:
    for word in words(text):
        assert SHORTEST <= len(word) <= LONGEST
        assert not word.isnumeric()
        assert not any(c.isspace() or c == "_" for c in word)
        assert words(word) in ([word], [])  # [] for a word that folds on into a stop word


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_cost_no_more_than_their_length(name: str) -> None:
    piece = HOSTILE[name]
    count_words("é")  # builds the pattern

    def cost(characters: int) -> float:
        text = piece * (characters // len(piece))
        started = time.process_time()
        count_words(text)
        return time.process_time() - started

    whole, double = min(cost(100_000) for _ in range(3)), min(cost(200_000) for _ in range(3))
    assert whole < 0.05
    assert double < 4 * whole + 0.005
