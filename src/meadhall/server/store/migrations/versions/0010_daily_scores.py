"""Add the order of attempts at a daily puzzle, and how many attempts have each result."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# No batch operations: on SQLite they would recreate the table, and dropping the old one would delete its seats and entries.


def upgrade() -> None:
    op.add_column("tables", sa.Column("standing", sa.String(length=100), nullable=True))
    op.create_index(op.f("ix_tables_daily_standing_finished_at"), "tables", ["daily", "standing", "finished_at"])
    op.create_table(
        "daily_scores",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("figures", sa.String(length=300), nullable=False),
        sa.Column("standing", sa.String(length=100), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "figures", name=op.f("pk_daily_scores")),
    )


def downgrade() -> None:
    op.drop_table("daily_scores")
    op.drop_index(op.f("ix_tables_daily_standing_finished_at"), table_name="tables")
    op.drop_column("tables", "standing")
