"""Add the keys that were replaced but are still accepted, and a count of the hall's starts."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BEFORE_THE_FIRST_START = 63
"""Versions of frames contain the number of the start. Earlier releases counted milliseconds in their place, which is less."""


def upgrade() -> None:
    op.create_table(
        "retired_secrets",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retired_secrets")),
    )
    counters = op.create_table(
        "counters",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.bulk_insert(counters, [{"name": "starts", "value": BEFORE_THE_FIRST_START}])


def downgrade() -> None:
    op.drop_table("counters")
    op.drop_table("retired_secrets")
