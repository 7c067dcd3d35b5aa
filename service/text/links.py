"""Links and mail addresses as words: of a link its host, for paths are mostly keys and trackers; an address whole."""

from .shapes import LONGEST

SCHEME = "://"
WEB = "www."
# First parts of hosts whose links only count who clicks.
TRACKERS = frozenset("click clicks links link lnk lnksrv mailer track tracking tracker trk".split())  # noqa: SIM905
AROUND = "<>()[]{}\"'`.,;:!?*|«»“”‘’"


def without_links(text: str) -> tuple[str, list[str]]:
    """The text without links and addresses, and the words that stand for them."""
    if SCHEME not in text and "@" not in text and WEB not in text:
        return text, []
    left, words = [], []
    for chunk in text.split():
        if SCHEME in chunk or chunk.startswith(WEB):
            before, word = _link(chunk)
        elif "@" in chunk:
            before, word = _address(chunk)
        else:
            before, word = chunk, None
        left.append(before)
        if word is not None:
            words.append(word)
    return " ".join(left), words


def address_in(text: str) -> str | None:
    """The first address of a text such as `Anna <anna@example.org>`."""
    return next((word for chunk in text.split() if "@" in chunk for word in _address(chunk)[1:] if word), None)


def _link(chunk: str) -> tuple[str, str | None]:
    """What stands before the link, which may be written without a space, and the host."""
    before, scheme, rest = chunk.partition(SCHEME)
    if not scheme:
        before, rest = "", chunk
    host = rest
    for end in "/?#:>)]\"'":
        host = host.partition(end)[0]
    host = host.rpartition("@")[2].casefold().removeprefix(WEB).strip(AROUND)
    before = before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-") if scheme else before
    known = bool(host) and len(host) <= LONGEST and "." in host and host.partition(".")[0] not in TRACKERS
    return before, host if known else None


def _address(chunk: str) -> tuple[str, str | None]:
    word = chunk.strip(AROUND).casefold()
    word = word.removeprefix("mailto:")
    local, _, host = word.rpartition("@")
    plain = host.replace(".", "").replace("-", "").isalnum()
    known = bool(local) and "@" not in local and "." in host and plain and len(word) <= LONGEST
    return ("", word) if known else (chunk, None)
