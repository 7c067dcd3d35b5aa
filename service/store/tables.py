"""Every table of the database. Moments are whole microseconds since 1970 UTC, so both databases hold them exactly."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

streams = Table(
    "streams",
    metadata,
    Column("id", Text, primary_key=True),  # str_…
    Column("name", Text, unique=True),  # null while its rows are being purged
    Column("settings", Text, nullable=False),  # JSON
    Column("created_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),  # of the settings
    # Written by ingest, under the row's lock.
    Column("next_seq", BigInteger, nullable=False),  # arrival sequence of the next document, from 1
    Column("last_arrival_at", BigInteger),
    Column("pending_erasures", BigInteger, nullable=False),
    Column("removed", BigInteger, nullable=False),  # documents that were erased or replaced, or arrived again
    # Written by the worker that holds the lease.
    Column("cursor", BigInteger, nullable=False),  # arrival sequence of the last document handled
    Column("next_event", BigInteger, nullable=False),  # from 1
    Column("model_version", BigInteger, nullable=False),  # one more with every step that changed an answer
    Column("stepped_at", BigInteger),
    Column("swept_at", BigInteger),
    Column("clock", BigInteger),  # event time of the stream
    Column("horizon", BigInteger),  # documents before it are settled
    Column("statistics", Text, nullable=False),  # JSON: window, vocabulary, learned knobs
    Column("careful_until", BigInteger, nullable=False),  # documents up to it are handled one at a time
    # The lease.
    Column("lease_owner", Text),
    Column("lease_address", Text),  # where its holder answers questions
    Column("lease_epoch", BigInteger, nullable=False),
    Column("lease_expires_at", BigInteger, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text),  # unique in its stream; null once it waits for erasure
    Column("time", BigInteger, nullable=False),
    Column("arrived_at", BigInteger, nullable=False),
    Column("title", Text),
    Column("author", Text),
    Column("text", Text),
    Column("vector", LargeBinary),  # little-endian doubles
    Column("metadata", Text),  # JSON
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of the content, to tell a retry from a conflict
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
    UniqueConstraint("stream_id", "id"),
    Index(None, "stream_id", "time", "seq"),
)

# What the model says of a document; only the worker writes it, so ingest stays one insert and text is never rewritten.
assignments = Table(
    "assignments",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("time", BigInteger, nullable=False),  # the document's
    Column("state", Text, nullable=False),  # provisional, settled, late, quarantined
    Column("thread", BigInteger),
    Column("probability", Double),
    Column("since", BigInteger, nullable=False),  # model version that put it there
    Column("words", Text),  # JSON {word: count} that the model saw, in the words' order; null for vectors
    Column("text_version", Integer),  # of the text pipeline that made the words
    Column("parts", Text),  # JSON: see service/store/parts.py
    Column("error", Text),  # why it is quarantined
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
    Index(None, "stream_id", "thread", "time", "seq"),
    Index(None, "stream_id", "state", "time"),
)

threads = Table(
    "threads",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("thread", BigInteger, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),  # live, dormant, dead, merged
    Column("size", BigInteger, nullable=False),
    Column("window_size", BigInteger, nullable=False),
    Column("strength", Double, nullable=False),  # weight in documents of age 0, at the stream's clock when written
    Column("born_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("died_at", BigInteger),
    Column("merged_into", BigInteger),
    Column("split_from", BigInteger),
    Column("label", Text, nullable=False),
    Column("top_words", Text, nullable=False),  # JSON list
    Column("titles", Text, nullable=False),  # a few of its documents' titles
    Column("search", Text, nullable=False),  # label, titles and top words, case folded
    Column("representative", BigInteger),  # seq of a document
    Column("version", BigInteger, nullable=False),  # model version of the last change
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
    Index(None, "stream_id", "state", "strength", "thread"),
    Index(None, "stream_id", "born_at", "thread"),
    Index(None, "stream_id", "last_at", "thread"),
    Index(None, "stream_id", "size", "thread"),
    Index(None, "stream_id", "merged_into"),
    Index(None, "stream_id", "split_from"),
)

# How the words of an evolving thread moved.
paths = Table(
    "paths",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("thread", BigInteger, primary_key=True, autoincrement=False),
    Column("time", BigInteger, primary_key=True, autoincrement=False),  # when the epoch begins
    Column("words", Text, nullable=False),  # JSON list
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

events = Table(
    "events",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),  # gap-free
    Column("type", Text, nullable=False),  # thread.born, thread.died, …, document.moved
    Column("occurred_at", BigInteger, nullable=False),  # event time
    Column("recorded_at", BigInteger, nullable=False),
    Column("thread", BigInteger),
    Column("other", BigInteger),  # merged: into; split: from; moved: the thread before
    Column("document", BigInteger),  # seq, for document.moved
    Column("model_version", BigInteger, nullable=False),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

# The chain beside the labels: what a worker needs to go on from the labels alone, and a snapshot that saves the replay.
chains = Table(
    "chains",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("chain", LargeBinary, nullable=False),  # zstd JSON
    Column("snapshot", LargeBinary),  # zstd bytes of core.Stream
    Column("snapshot_cursor", BigInteger),
    Column("snapshot_version", BigInteger),  # model version it belongs to
    Column("snapshot_at", BigInteger),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

# Knobs of the model and the size of its window, one row an hour of event time; for charts, the model never reads it.
learned = Table(
    "learned",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("at", BigInteger, primary_key=True, autoincrement=False),  # event time, to the hour
    Column("alpha", Double),
    Column("half_life", Double),  # seconds
    Column("strength", Double),
    Column("threads_live", BigInteger, nullable=False),
    Column("window_documents", BigInteger, nullable=False),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

attempts = Table(
    "attempts",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("error", Text),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

erasures = Table(
    "erasures",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("task_id", Text),
    Column("requested_at", BigInteger, nullable=False),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

# Salted hashes of erased ids: a retry that arrives late cannot bring a document back.
tombstones = Table(
    "tombstones",
    metadata,
    Column("stream_id", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("erased_at", BigInteger, nullable=False),
    ForeignKeyConstraint(["stream_id"], ["streams.id"]),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),  # tsk_…
    Column("type", Text, nullable=False),  # erasure, stream_deletion, topics, comparison
    Column("status", Text, nullable=False),  # enqueued, processing, succeeded, failed, canceled
    Column("stream_id", Text),
    Column("details", Text, nullable=False),  # JSON
    Column("error", Text),
    Column("enqueued_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("progress", Double, nullable=False, server_default="0"),  # 0 to 1
    Column("result", Text),  # JSON, of a job that succeeded
    # Written by the process that works on a job.
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("owner", Text),
    Column("lease_expires_at", BigInteger, nullable=False, server_default="0"),
    Index(None, "status", "enqueued_at"),
    Index(None, "stream_id", "status"),
)

keys = Table(
    "keys",
    metadata,
    Column("id", Text, primary_key=True),  # key_…
    Column("name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("scopes", Text, nullable=False),  # JSON list of ingest, read, manage
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),  # to the minute
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("key", Text, primary_key=True),  # hash of caller, method, path and Idempotency-Key
    Column("body", LargeBinary, nullable=False),  # SHA-256 of the request's body
    Column("status", Integer, nullable=False),
    Column("response", Text, nullable=False),
    Column("stream_id", Text),  # whose documents the response names
    Column("created_at", BigInteger, nullable=False),
    Index(None, "created_at"),
    Index(None, "stream_id", "created_at"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("address", Text, nullable=False),  # http://host:port where it answers questions
    Column("token", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("process", Integer, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("draining", Boolean, nullable=False),
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),  # pepper of key hashes, salt of tombstones, signature of cursors
    Column("value", LargeBinary, nullable=False),
)
