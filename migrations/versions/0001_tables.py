"""Every table of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotency",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("stream_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_idempotency"),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_index("ix_idempotency_stream_id_created_at", "idempotency", ["stream_id", "created_at"])
    op.create_table(
        "keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
    op.create_table(
        "streams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("next_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_arrival_at", sa.BigInteger(), nullable=True),
        sa.Column("pending_erasures", sa.BigInteger(), nullable=False),
        sa.Column("removed", sa.BigInteger(), nullable=False),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("next_event", sa.BigInteger(), nullable=False),
        sa.Column("model_version", sa.BigInteger(), nullable=False),
        sa.Column("stepped_at", sa.BigInteger(), nullable=True),
        sa.Column("swept_at", sa.BigInteger(), nullable=True),
        sa.Column("clock", sa.BigInteger(), nullable=True),
        sa.Column("horizon", sa.BigInteger(), nullable=True),
        sa.Column("statistics", sa.Text(), nullable=False),
        sa.Column("careful_until", sa.BigInteger(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_address", sa.Text(), nullable=True),
        sa.Column("lease_epoch", sa.BigInteger(), nullable=False),
        sa.Column("lease_expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_streams"),
        sa.UniqueConstraint("name", name="uq_streams_name"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("stream_id", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("enqueued_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
    )
    op.create_index("ix_tasks_status_enqueued_at", "tasks", ["status", "enqueued_at"])
    op.create_index("ix_tasks_stream_id_status", "tasks", ["stream_id", "status"])
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("draining", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
    )
    op.create_table(
        "assignments",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("thread", sa.BigInteger(), nullable=True),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("text_version", sa.Integer(), nullable=True),
        sa.Column("parts", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_assignments_streams"),
        sa.PrimaryKeyConstraint("stream_id", "seq", name="pk_assignments"),
    )
    op.create_index("ix_assignments_stream_id_state_time", "assignments", ["stream_id", "state", "time"])
    op.create_index("ix_assignments_stream_id_thread_time_seq", "assignments", ["stream_id", "thread", "time", "seq"])
    op.create_table(
        "attempts",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_attempts_streams"),
        sa.PrimaryKeyConstraint("stream_id", "seq", name="pk_attempts"),
    )
    op.create_table(
        "chains",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("chain", sa.LargeBinary(), nullable=False),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
        sa.Column("snapshot_cursor", sa.BigInteger(), nullable=True),
        sa.Column("snapshot_version", sa.BigInteger(), nullable=True),
        sa.Column("snapshot_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_chains_streams"),
        sa.PrimaryKeyConstraint("stream_id", name="pk_chains"),
    )
    op.create_table(
        "documents",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=True),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_documents_streams"),
        sa.PrimaryKeyConstraint("stream_id", "seq", name="pk_documents"),
        sa.UniqueConstraint("stream_id", "id", name="uq_documents_stream_id_id"),
    )
    op.create_index("ix_documents_stream_id_time_seq", "documents", ["stream_id", "time", "seq"])
    op.create_table(
        "erasures",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("requested_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_erasures_streams"),
        sa.PrimaryKeyConstraint("stream_id", "seq", name="pk_erasures"),
    )
    op.create_table(
        "events",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("occurred_at", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("thread", sa.BigInteger(), nullable=True),
        sa.Column("other", sa.BigInteger(), nullable=True),
        sa.Column("document", sa.BigInteger(), nullable=True),
        sa.Column("model_version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_events_streams"),
        sa.PrimaryKeyConstraint("stream_id", "seq", name="pk_events"),
    )
    op.create_table(
        "threads",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("thread", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("window_size", sa.BigInteger(), nullable=False),
        sa.Column("strength", sa.Double(), nullable=False),
        sa.Column("born_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("died_at", sa.BigInteger(), nullable=True),
        sa.Column("merged_into", sa.BigInteger(), nullable=True),
        sa.Column("split_from", sa.BigInteger(), nullable=True),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("top_words", sa.Text(), nullable=False),
        sa.Column("titles", sa.Text(), nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("representative", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_threads_streams"),
        sa.PrimaryKeyConstraint("stream_id", "thread", name="pk_threads"),
    )
    op.create_index("ix_threads_stream_id_born_at_thread", "threads", ["stream_id", "born_at", "thread"])
    op.create_index("ix_threads_stream_id_last_at_thread", "threads", ["stream_id", "last_at", "thread"])
    op.create_index("ix_threads_stream_id_merged_into", "threads", ["stream_id", "merged_into"])
    op.create_index("ix_threads_stream_id_size_thread", "threads", ["stream_id", "size", "thread"])
    op.create_index("ix_threads_stream_id_split_from", "threads", ["stream_id", "split_from"])
    op.create_index(
        "ix_threads_stream_id_state_strength_thread", "threads", ["stream_id", "state", "strength", "thread"]
    )
    op.create_table(
        "tombstones",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("erased_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_tombstones_streams"),
        sa.PrimaryKeyConstraint("stream_id", "digest", name="pk_tombstones"),
    )


def downgrade() -> None:
    for table in (
        "tombstones",
        "threads",
        "events",
        "erasures",
        "documents",
        "chains",
        "attempts",
        "assignments",
        "workers",
        "tasks",
        "streams",
        "secrets",
        "keys",
        "idempotency",
    ):
        op.drop_table(table)
