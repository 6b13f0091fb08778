"""Drop what told the processes of a hall apart: one process owns it."""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("processes")
    op.drop_index("ix_tables_driver_game_rules", "tables")
    op.drop_column("tables", "driver")
    op.drop_column("jobs", "claimed_by")
