"""Tasks that compute: progress, a result, and who is at work on them. Words of threads that evolve, by epoch."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("progress", sa.Double(), nullable=False, server_default="0"))
    op.add_column("tasks", sa.Column("result", sa.Text()))
    op.add_column("tasks", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("tasks", sa.Column("owner", sa.Text()))
    op.add_column("tasks", sa.Column("lease_expires_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "paths",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("thread", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("time", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_paths_streams"),
        sa.PrimaryKeyConstraint("stream_id", "thread", "time", name="pk_paths"),
    )
    op.execute("UPDATE tasks SET progress = 1 WHERE status = 'succeeded'")


def downgrade() -> None:
    op.drop_table("paths")
    for column in ("lease_expires_at", "owner", "attempts", "result", "progress"):
        op.drop_column("tasks", column)
