"""Keep when a guest wants to be asked before a decision that can't be taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("confirm", sa.String(length=8), server_default="slow", nullable=False))
