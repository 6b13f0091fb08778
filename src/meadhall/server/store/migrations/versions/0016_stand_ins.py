"""Find the matches in which a bot has taken over a person's seat."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

STAND_IN = sa.text("kind = 'stand_in'")


def upgrade() -> None:
    op.create_index(
        op.f("ix_match_entries_table_id"), "match_entries", ["table_id"], sqlite_where=STAND_IN, postgresql_where=STAND_IN
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_match_entries_table_id"), table_name="match_entries")
