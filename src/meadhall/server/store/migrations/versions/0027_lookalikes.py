"""Find names that look alike by more characters. Accounts whose names look alike only now keep their names."""

import sqlalchemy as sa
from alembic import op

from meadhall.server.store.lookalikes import NameKeys

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    accounts = sa.table("accounts", *map(sa.column, ("guest", "drawn_name", "folded_name", "created_at")))
    guests = sa.table("guests", sa.column("id"), sa.column("name"))
    named = sa.select(accounts.c.guest, guests.c.name).join(guests, guests.c.id == accounts.c.guest)
    taken: set[str] = set()
    changed = []
    for guest, name in connection.execute(named.order_by(accounts.c.created_at, accounts.c.guest)).all():
        keys = NameKeys.of(name)
        drawn, folded = (keys.spelled,) * 2 if taken & {keys.drawn, keys.folded} else (keys.drawn, keys.folded)
        taken |= {drawn, folded}
        changed.append({"row": guest, "drawn": drawn, "folded": folded})
    if changed:
        of_guest = sa.update(accounts).where(accounts.c.guest == sa.bindparam("row"))
        connection.execute(
            sa.update(accounts).values(drawn_name=accounts.c.guest, folded_name=accounts.c.guest)
        )  # no key is taken
        connection.execute(of_guest.values(drawn_name=sa.bindparam("drawn"), folded_name=sa.bindparam("folded")), changed)
