"""The speed of animations that a guest has chosen."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("motion", sa.String(8), nullable=False, server_default="auto"))


def downgrade() -> None:
    op.drop_column("guests", "motion")
