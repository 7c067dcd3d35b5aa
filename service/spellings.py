"""Words as people write them, in a process that has not read the texts itself."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from service.store import documents
from service.store.documents import DocumentRow
from service.store.streams import StreamRow
from service.text import TextSettings, has_spelling, learn_spellings, spelled


def spellings(connection: Connection, stream: StreamRow, examples: Mapping[str, int]) -> dict[str, str]:
    """Words of the model -> words of people. examples: for each word the sequence number of a document that has it."""
    unknown = [seq for word, seq in examples.items() if not has_spelling(word)]
    read_spellings(stream, documents.by_seqs(connection, stream.id, unknown))
    return {word: spelled(word) for word in examples}


def read_spellings(stream: StreamRow, read: Iterable[DocumentRow]) -> None:
    """Take note of how these documents spell their words."""
    texts = (f"{document.title or ''} {document.text or ''}" for document in read)
    learn_spellings(texts, TextSettings.read(stream.settings.get("text")).language)
