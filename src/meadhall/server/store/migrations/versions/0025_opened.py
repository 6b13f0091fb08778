"""Record what a session has opened with it, and why a push service has refused a message."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("push_subscriptions", "identity_links"):
        op.add_column(table, sa.Column("session", sa.String(length=16), nullable=True))
        op.create_index(op.f(f"ix_{table}_session"), table, ["session"])
    op.add_column("push_subscriptions", sa.Column("refusal", sa.String(length=200), nullable=True))
