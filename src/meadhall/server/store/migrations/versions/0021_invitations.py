"""Add who was invited to a table, and by whom."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invitations",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("inviter", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("table_id", "guest", name=op.f("pk_invitations")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_invitations_table_id_tables"), ondelete="CASCADE"),
    )
    op.create_index(op.f("ix_invitations_guest"), "invitations", ["guest"])
    op.create_index(op.f("ix_invitations_inviter"), "invitations", ["inviter"])


def downgrade() -> None:
    op.drop_table("invitations")
