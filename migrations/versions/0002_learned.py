"""What a stream's model learned, hour by hour of event time."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "learned",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("alpha", sa.Double(), nullable=True),
        sa.Column("half_life", sa.Double(), nullable=True),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("threads_live", sa.BigInteger(), nullable=False),
        sa.Column("window_documents", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["stream_id"], ["streams.id"], name="fk_learned_streams"),
        sa.PrimaryKeyConstraint("stream_id", "at", name="pk_learned"),
    )


def downgrade() -> None:
    op.drop_table("learned")
