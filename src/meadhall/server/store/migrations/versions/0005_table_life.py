"""Add how matches ended, what guests chose last, and whether a player agrees to a start without them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# No batch operations: on SQLite they would recreate the table, and dropping the old one would delete its seats and entries.


def upgrade() -> None:
    op.add_column("tables", sa.Column("outcome", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("guests", sa.Column("choices", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("seats", sa.Column("is_ready", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("seats", "is_ready")
    op.drop_column("guests", "choices")
    op.drop_column("tables", "outcome")
