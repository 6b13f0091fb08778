"""Add guests who wait for other people to start a match with."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "seeks",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("pool", sa.String(length=64), nullable=False),
        sa.Column("bot", sa.String(length=20), nullable=False),
        sa.Column("bots_after", sa.Integer(), nullable=True),
        sa.Column("clock", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=True),
        sa.Column("matched_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("guest", name=op.f("pk_seeks")),
        sa.UniqueConstraint("id", name=op.f("uq_seeks_id")),
    )
    op.create_index(op.f("ix_seeks_pool"), "seeks", ["pool"])
    op.create_index(op.f("ix_seeks_seen_at"), "seeks", ["seen_at"])


def downgrade() -> None:
    op.drop_table("seeks")
