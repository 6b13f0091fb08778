"""Add which notifications a guest has chosen, and the devices that receive push messages."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("notifications", sa.JSON(none_as_null=True), nullable=True))
    op.create_table(
        "push_subscriptions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("endpoint", sa.String(length=1000), nullable=False),
        sa.Column("p256dh", sa.String(length=100), nullable=False),
        sa.Column("auth", sa.String(length=40), nullable=False),
        sa.Column("vapid_key", sa.String(length=100), nullable=False),
        sa.Column("device", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_subscriptions")),
        sa.UniqueConstraint("endpoint", name=op.f("uq_push_subscriptions_endpoint")),
    )
    op.create_index(op.f("ix_push_subscriptions_guest"), "push_subscriptions", ["guest"])


def downgrade() -> None:
    op.drop_index(op.f("ix_push_subscriptions_guest"), table_name="push_subscriptions")
    op.drop_table("push_subscriptions")
    op.drop_column("guests", "notifications")
