"""Whether a text is HTML."""

TAGS = ("<html", "<body", "<p>", "<p ", "<div", "<br", "<table", "<span", "<a href", "<!doctype")
LOOKED_AT = 2_000  # characters


def looks_like_html(text: str) -> bool:
    """Whether tags of pages are at its beginning, and closed ones anywhere."""
    if "<" not in text or ("</" not in text and "<br" not in text):
        return False
    head = text[:LOOKED_AT].casefold()
    return any(tag in head for tag in TAGS)
