"""Words as people write them, in a process that has not read the texts itself."""

from collections.abc import Mapping

from sqlalchemy import Connection

from service.store import documents
from service.store.streams import StreamRow
from service.text import TextSettings, learn_spellings, spelled


def spellings(connection: Connection, stream: StreamRow, examples: Mapping[str, int]) -> dict[str, str]:
    """Words of the model -> words of people. examples: for each word the sequence number of a document that has it."""
    unknown = [seq for word, seq in examples.items() if spelled(word) is None]
    read = documents.by_seqs(connection, stream.id, unknown)
    texts = (f"{document.title or ''} {document.text or ''}" for document in read)
    learn_spellings(texts, TextSettings.read(stream.settings.get("text")).language)
    return {word: spelled(word) or word for word in examples}
