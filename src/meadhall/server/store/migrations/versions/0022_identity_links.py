"""Add links that make another device the same guest."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity_links",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("for_account", sa.Boolean(), nullable=False),
        sa.Column("confirms", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_identity_links")),
    )
    op.create_index(op.f("ix_identity_links_guest"), "identity_links", ["guest"])
    op.create_index(op.f("ix_identity_links_expires_at"), "identity_links", ["expires_at"])


def downgrade() -> None:
    op.drop_table("identity_links")
