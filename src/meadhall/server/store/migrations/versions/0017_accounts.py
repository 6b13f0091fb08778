"""Add accounts: passwords, passkeys, recovery codes, sessions, and what protects them."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

Time = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("drawn_name", sa.String(length=64), nullable=False),
        sa.Column("folded_name", sa.String(length=64), nullable=False),
        sa.Column("handle", sa.String(length=64), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("created_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("guest", name=op.f("pk_accounts")),
        sa.UniqueConstraint("drawn_name", name=op.f("uq_accounts_drawn_name")),
        sa.UniqueConstraint("folded_name", name=op.f("uq_accounts_folded_name")),
        sa.UniqueConstraint("handle", name=op.f("uq_accounts_handle")),
    )
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(length=1400), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("transports", sa.JSON(), nullable=False),
        sa.Column("label", sa.String(length=60), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("last_used_at", Time, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
    )
    op.create_index(op.f("ix_passkeys_guest"), "passkeys", ["guest"])
    op.create_table(
        "recovery_codes",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("guest", "code", name=op.f("pk_recovery_codes")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("label", sa.String(length=60), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("confirmed_at", Time, nullable=False),
        sa.Column("last_used_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token", name=op.f("uq_sessions_token")),
    )
    op.create_index(op.f("ix_sessions_guest"), "sessions", ["guest"])
    op.create_index(op.f("ix_sessions_last_used_at"), "sessions", ["last_used_at"])
    op.create_table(
        "challenges",
        sa.Column("challenge", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("handle", sa.String(length=64), nullable=True),
        sa.Column("expires_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("challenge", name=op.f("pk_challenges")),
    )
    op.create_index(op.f("ix_challenges_expires_at"), "challenges", ["expires_at"])
    op.create_table(
        "failed_attempts",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("next_at", Time, nullable=False),
        sa.Column("last_at", Time, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_failed_attempts")),
    )
    op.create_index(op.f("ix_failed_attempts_last_at"), "failed_attempts", ["last_at"])


def downgrade() -> None:
    for table in ("failed_attempts", "challenges", "sessions", "recovery_codes", "passkeys", "accounts"):
        op.drop_table(table)
