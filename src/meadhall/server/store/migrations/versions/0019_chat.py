"""Add what people say at a table, the tables whose chat is closed, and whom a guest has muted or blocked."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "chat_lines",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("audience", sa.String(length=12), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("phrase", sa.String(length=20), nullable=True),
        sa.Column("is_deleted", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("request_key", sa.String(length=100), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "audience", "number", name=op.f("pk_chat_lines")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_chat_lines_table_id_tables"), ondelete="CASCADE"),
        sa.UniqueConstraint("id", name=op.f("uq_chat_lines_id")),
    )
    op.create_index(op.f("ix_chat_lines_guest_created_at"), "chat_lines", ["guest", "created_at"])
    op.create_table(
        "closed_chats",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", name=op.f("pk_closed_chats")),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_closed_chats_table_id_tables"), ondelete="CASCADE"),
    )
    op.create_table(
        "ignored_guests",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("other", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guest", "kind", "other", name=op.f("pk_ignored_guests")),
    )
    op.create_index(op.f("ix_ignored_guests_other"), "ignored_guests", ["other"])


def downgrade() -> None:
    op.drop_table("ignored_guests")
    op.drop_table("closed_chats")
    op.drop_table("chat_lines")
