"""Add links that admit people to a hall, and who is admitted or shut out."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guests", sa.Column("admitted_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("guests", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "admission_links",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=100), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=True),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_admission_links")),
        sa.UniqueConstraint("token", name=op.f("uq_admission_links_token")),
    )


def downgrade() -> None:
    op.drop_table("admission_links")
    with op.batch_alter_table("guests") as guests:
        guests.drop_column("closed_at")
        guests.drop_column("admitted_at")
