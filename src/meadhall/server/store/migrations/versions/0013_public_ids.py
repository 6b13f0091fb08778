"""Give every guest an id that other people may see."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BATCH = 1000

GUESTS = sa.table("guests", sa.column("id", sa.String), sa.column("public_id", sa.String))


def upgrade() -> None:
    op.add_column("guests", sa.Column("public_id", sa.String(length=16), nullable=True))
    connection = op.get_bind()
    ids = connection.execute(sa.select(GUESTS.c.id)).scalars().all()
    fill = sa.update(GUESTS).where(GUESTS.c.id == sa.bindparam("guest")).values(public_id=sa.bindparam("chosen"))
    for start in range(0, len(ids), BATCH):
        chosen = [{"guest": id, "chosen": secrets.token_urlsafe(9)} for id in ids[start : start + BATCH]]
        connection.execute(fill, chosen)
    # No other table refers to guests by a foreign key, so SQLite may recreate this one.
    with op.batch_alter_table("guests") as guests:
        guests.alter_column("public_id", existing_type=sa.String(length=16), nullable=False)
        guests.create_unique_constraint(op.f("uq_guests_public_id"), ["public_id"])


def downgrade() -> None:
    with op.batch_alter_table("guests") as guests:
        guests.drop_constraint(op.f("uq_guests_public_id"), type_="unique")
        guests.drop_column("public_id")
