"""A row that health checks write to."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    checks = op.create_table(
        "health_checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_health_checks")),
    )
    op.bulk_insert(checks, [{"id": 1, "checked_at": None}])


def downgrade() -> None:
    op.drop_table("health_checks")
