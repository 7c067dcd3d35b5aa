"""Tasks that compute: progress, a result, and who is at work on them."""

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
    op.execute("UPDATE tasks SET progress = 1 WHERE status = 'succeeded'")


def downgrade() -> None:
    for column in ("lease_expires_at", "owner", "attempts", "result", "progress"):
        op.drop_column("tasks", column)
