"""Give entries of a match longer kinds, and values beside their number."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

# SQLite recreates the table. No other table refers to it, so nothing is deleted with the old one.


def upgrade() -> None:
    with op.batch_alter_table("match_entries") as batch:
        batch.alter_column("kind", type_=sa.String(length=16), existing_type=sa.String(length=8), existing_nullable=False)
        batch.add_column(sa.Column("data", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("match_entries") as batch:
        batch.drop_column("data")
        batch.alter_column("kind", type_=sa.String(length=8), existing_type=sa.String(length=16), existing_nullable=False)
