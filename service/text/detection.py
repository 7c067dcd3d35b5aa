"""Which language a text is in, by letters, offline."""

import pycld2

from .languages import LANGUAGES

USUAL = "en"  # what is taken where nothing can be told
SAMPLE = 400  # characters looked at
SURE = 70  # per cent of the text that must be in the language
OTHER_NAMES = {"iw": "he", "nb": "no", "nn": "no", "zh-Hant": "zh", "jw": "id", "fil": "tl"}


def language_of(text: str) -> str:
    """The code of a text's language; English for what is too short or too mixed to tell."""
    try:
        reliable, _, found = pycld2.detect(text[:SAMPLE].encode("utf-8", "ignore"), bestEffort=False)
    except pycld2.error:  # characters that no text should have
        return USUAL
    _, code, share, _ = found[0]
    known = OTHER_NAMES.get(code, code)
    return known if reliable and share >= SURE and known in LANGUAGES else USUAL
