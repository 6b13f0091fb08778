"""Record which invitation has admitted a guest."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("admitted_by", sa.String(length=16), nullable=True))
