"""The schema of the last Meadhall that ran in several processes: the oldest one that can be upgraded."""

revision = "0033"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    raise NotImplementedError("a new database is made from schema.py")
