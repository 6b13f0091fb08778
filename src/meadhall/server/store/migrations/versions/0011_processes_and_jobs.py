"""Add the processes of a hall, the process that drives each table, and the jobs that wait for their time."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# No batch operations: on SQLite they would recreate the table, and dropping the old one would delete its seats and entries.

RUNNING = sa.text("status = 'running'")


def upgrade() -> None:
    op.create_table(
        "processes",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("has_ended", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_processes")),
    )
    op.add_column("tables", sa.Column("driver", sa.String(length=16), nullable=True))
    op.create_index(
        op.f("ix_tables_driver_game_rules"),
        "tables",
        ["driver", "game", "rules"],
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("claimed_by", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("kind", "key", name=op.f("uq_jobs_kind_key")),
    )
    op.create_index(op.f("ix_jobs_due_at"), "jobs", ["due_at"])


def downgrade() -> None:
    op.drop_table("jobs")
    op.drop_index(op.f("ix_tables_driver_game_rules"), table_name="tables")
    op.drop_column("tables", "driver")
    op.drop_table("processes")
