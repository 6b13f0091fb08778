"""Keep the crests of guests, and those of the people on seats."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("guests", "seats"):
        op.add_column(table, sa.Column("crest", sa.String(length=16), nullable=True))
