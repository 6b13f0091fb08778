"""Add the clocks of tables, and the times in which no process of the hall ran."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# No batch operations: on SQLite they would recreate the table, and dropping the old one would delete its seats and entries.


def upgrade() -> None:
    op.add_column("tables", sa.Column("clock", sa.JSON(), nullable=True))
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("alive_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pulse")),
    )
    op.create_table(
        "downtimes",
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("began_at", name=op.f("pk_downtimes")),
    )


def downgrade() -> None:
    op.drop_table("downtimes")
    op.drop_table("pulse")
    op.drop_column("tables", "clock")
