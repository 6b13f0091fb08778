"""Count the decisions that guests took back after something was revealed."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("results", sa.Column("take_backs", sa.Integer(), nullable=False, server_default="0"))
    op.drop_index(op.f("ix_results_guest_daily_finished_at_score"), "results")
    columns = ["guest", "daily", "take_backs", "finished_at", "score"]
    op.create_index(op.f("ix_results_guest_daily_take_backs_finished_at_score"), "results", columns)
