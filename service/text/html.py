"""HTML to lines of text, in time proportional to its length whatever it contains.

Parsers that build the tree of the HTML standard take quadratic time on deep nesting, unclosed tags or many attributes
(17 s for half a megabyte of `<div>` with the fastest that was tried), so this reads tags from left to right and keeps
no tree: which words there are and where lines break can be told without one.
"""

import html
import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


RAW = _names("script style title textarea xmp iframe noembed noframes noscript")  # no markup inside
DROPPED = _names("nav footer aside button select svg math template object audio video canvas map dialog")
BREAKS = _names("""address article body br center dd details div dl dt fieldset figcaption figure form header hr html
    legend li main menu optgroup option section summary table tbody tfoot thead tr""")
PARAGRAPHS = _names("blockquote h1 h2 h3 h4 h5 h6 ol p pre ul")
CELLS = _names("td th caption")
VOID = _names("area base br col embed hr img input link meta param source track wbr")
DEEPEST = 9  # quotation marks before a line, however deeply quoted

NAME = re.compile(r"/?([A-Za-z][^\s/>]*)")
REST_OF_TAG = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
HIDDEN = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|mso-hide\s{0,9}:\s{0,9}all", re.I)
SIGNATURE = re.compile(r"""class\s{0,9}=\s{0,9}["']?[^"'>]{0,200}(?:gmail|moz)[_-]signature""", re.I)
LONG_NUMBER = re.compile(r"&#[xX]?[0-9A-Fa-f]{9,}+;?")  # no character, and more digits than int() takes
SPACES = re.compile(r"[ \t\n\r\f\v\u00a0]+")


def html_to_text(page: str) -> str:
    """The text that a reader sees: blocks as lines, quoted blocks as lines that begin with >, no scripts and menus."""
    reader = _Reader(page)
    reader.read()
    return reader.lines.text()


class _Lines:
    """Text that is being laid out."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._line: list[str] = []
        self._space = False  # a space stands before the next word, unless the line ends first
        self.quotes = 0

    def words(self, text: str) -> None:
        """Words of running text; how they are spaced apart does not matter."""
        if not text:
            return
        flat = SPACES.sub(" ", text)
        core = flat.strip(" ")
        if core:
            self._line.append(f" {core}" if (self._space or flat[0] == " ") and self._line else core)
        self._space = flat[-1] == " " or (self._space and not core)

    def as_it_is(self, text: str) -> None:
        """Text whose spaces and lines are kept."""
        first, *others = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._line.append(first)
        for line in others:
            self._end()
            self._line.append(line)

    def space(self) -> None:
        """A gap in the line, as between the cells of a table."""
        self._space = True

    def break_line(self) -> None:
        """End the line, if there is anything on it."""
        if self._line:
            self._end()

    def break_paragraph(self) -> None:
        """End the line and leave one empty, unless there is one already."""
        self.break_line()
        if self._done and self._done[-1] != self._mark().rstrip():
            self._end()

    def quote(self, levels: int) -> None:
        """Quote what follows more deeply, or less; the empty line between belongs to the outer text."""
        before, after = self.quotes, max(0, self.quotes + levels)
        self.break_line()
        self.quotes = min(before, after)
        self.break_paragraph()
        self.quotes = after

    def text(self) -> str:
        """All lines."""
        self.break_line()
        return "\n".join(self._done).strip("\n")

    def _mark(self) -> str:
        return "> " * min(self.quotes, DEEPEST)

    def _end(self) -> None:
        mark, line = self._mark(), "".join(self._line)
        self._done.append(mark + line if line else mark.rstrip())
        self._line.clear()
        self._space = False


class _Reader:
    """One pass over a page."""

    def __init__(self, page: str) -> None:
        self._page = page
        self._at = 0
        self._quotes_close = True  # until an attribute's quotation mark is found to have no partner
        self._dropped: tuple[str, int] | None = None  # the element that is left out, and how many of its kind are open
        self._kept_spaces = 0  # open elements in which spaces count
        self.lines = _Lines()

    def read(self) -> None:
        """Lay out the whole page."""
        page, end = self._page, len(self._page)
        while self._at < end:
            tag = page.find("<", self._at)
            if tag < 0:
                tag = end
            self._text(page[self._at : tag])
            self._at = tag
            if tag < end:
                self._markup()

    def _text(self, text: str) -> None:
        if not text or self._dropped:
            return
        if "&" in text:
            text = html.unescape(LONG_NUMBER.sub("\ufffd", text))
        if self._kept_spaces:
            self.lines.as_it_is(text)
        else:
            self.lines.words(text)

    def _markup(self) -> None:
        """What begins with <: a comment, a declaration, a tag, or just that character."""
        page, start = self._page, self._at + 1
        if page.startswith("!--", start):
            self._skip_to(page.find("-->", start + 3), 3)
        elif page.startswith(("!", "?"), start):
            self._skip_to(page.find(">", start), 1)
        elif match := NAME.match(page, start):
            self._tag(match[1].lower(), closing=page[start] == "/", attributes=match.end())
        else:
            self._text("<")
            self._at = start

    def _skip_to(self, found: int, length: int) -> None:
        self._at = len(self._page) if found < 0 else found + length

    def _tag(self, name: str, *, closing: bool, attributes: int) -> None:
        match = REST_OF_TAG.match(self._page, attributes) if self._quotes_close else None
        if match:
            self._at = match.end()
        else:
            self._quotes_close = False
            self._skip_to(self._page.find(">", attributes), 1)
        if self._dropped:
            self._drop(name, closing=closing)
        elif closing:
            self._lay_out(name, -1)
        else:
            self._open(name, self._page[attributes : self._at])

    def _drop(self, name: str, *, closing: bool) -> None:
        """Leave out an element and all in it."""
        if name in RAW and not closing:
            self._skip_raw(name)
        elif self._dropped and name == self._dropped[0]:
            depth = self._dropped[1] + (-1 if closing else 1)
            self._dropped = (name, depth) if depth else None

    def _open(self, name: str, attributes: str) -> None:
        if name in RAW:
            self._skip_raw(name)
        elif name in DROPPED or (name not in VOID and HIDDEN.search(attributes)):
            if not attributes.endswith("/>"):
                self._dropped = (name, 1)
        else:
            self._lay_out(name, 1)
            if SIGNATURE.search(attributes):
                self.lines.break_line()
                self.lines.as_it_is("-- \n")

    def _lay_out(self, name: str, opened: int) -> None:
        if name == "blockquote":
            self.lines.quote(opened)
        elif name in PARAGRAPHS:
            self.lines.break_paragraph()
        elif name == "br" and opened > 0:
            self.lines.as_it_is("\n")
        elif name in BREAKS:
            self.lines.break_line()
        elif name in CELLS:
            self.lines.space()
        if name == "pre":
            self._kept_spaces = max(0, self._kept_spaces + opened)

    def _skip_raw(self, name: str) -> None:
        found = re.compile(f"</{name}", re.I).search(self._page, self._at)
        self._skip_to(-1 if found is None else self._page.find(">", found.end()), 1)
