"""Add the daily puzzle: the day of an attempt, and how it went."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# No batch operations: on SQLite they would recreate the table, and dropping the old one would delete its seats and entries.


def upgrade() -> None:
    op.add_column("tables", sa.Column("daily", sa.String(length=10), nullable=True))
    op.add_column("tables", sa.Column("figures", sa.JSON(none_as_null=True), nullable=True))
    op.create_index("one_attempt_a_day", "tables", ["daily", "host"], unique=True)


def downgrade() -> None:
    op.drop_index("one_attempt_a_day", table_name="tables")
    op.drop_column("tables", "figures")
    op.drop_column("tables", "daily")
