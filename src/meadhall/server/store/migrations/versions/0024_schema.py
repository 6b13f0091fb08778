"""Create the schema.

This is the first released schema. Its number continues that of the unreleased ones, so a database from then is up to date.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = None
branch_labels = None
depends_on = None

RUNNING = sa.text("status = 'running'")
STAND_IN = sa.text("kind = 'stand_in'")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("drawn_name", sa.String(length=64), nullable=False),
        sa.Column("folded_name", sa.String(length=64), nullable=False),
        sa.Column("handle", sa.String(length=64), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guest", name=op.f("pk_accounts")),
        sa.UniqueConstraint("drawn_name", name=op.f("uq_accounts_drawn_name")),
        sa.UniqueConstraint("folded_name", name=op.f("uq_accounts_folded_name")),
        sa.UniqueConstraint("handle", name=op.f("uq_accounts_handle")),
    )
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
    op.create_table(
        "challenges",
        sa.Column("challenge", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("handle", sa.String(length=64), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("challenge", name=op.f("pk_challenges")),
    )
    op.create_index(op.f("ix_challenges_expires_at"), "challenges", ["expires_at"])
    counters = op.create_table(
        "counters",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.create_table(
        "daily_scores",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("figures", sa.String(length=300), nullable=False),
        sa.Column("standing", sa.String(length=100), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "figures", name=op.f("pk_daily_scores")),
    )
    op.create_table(
        "downtimes",
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("began_at", name=op.f("pk_downtimes")),
    )
    op.create_table(
        "failed_attempts",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_failed_attempts")),
    )
    op.create_index(op.f("ix_failed_attempts_last_at"), "failed_attempts", ["last_at"])
    op.create_table(
        "guests",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("public_id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("theme", sa.String(length=8), nullable=False),
        sa.Column("motion", sa.String(length=8), server_default="auto", nullable=False),
        sa.Column("choices", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("profile", sa.String(length=10), server_default="opponents", nullable=False),
        sa.Column("notifications", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("admitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guests")),
        sa.UniqueConstraint("public_id", name=op.f("uq_guests_public_id")),
    )
    health_checks = op.create_table(
        "health_checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_health_checks")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guest", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"])
    op.create_table(
        "identity_links",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("for_account", sa.Boolean(), nullable=False),
        sa.Column("confirms", sa.Boolean(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_identity_links")),
    )
    op.create_index(op.f("ix_identity_links_expires_at"), "identity_links", ["expires_at"])
    op.create_index(op.f("ix_identity_links_guest"), "identity_links", ["guest"])
    op.create_table(
        "ignored_guests",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("other", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guest", "kind", "other", name=op.f("pk_ignored_guests")),
    )
    op.create_index(op.f("ix_ignored_guests_other"), "ignored_guests", ["other"])
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claimed_by", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("kind", "key", name=op.f("uq_jobs_kind_key")),
    )
    op.create_index(op.f("ix_jobs_due_at"), "jobs", ["due_at"])
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(length=1400), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("transports", sa.JSON(), nullable=False),
        sa.Column("label", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
    )
    op.create_index(op.f("ix_passkeys_guest"), "passkeys", ["guest"])
    op.create_table(
        "processes",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("has_ended", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_processes")),
    )
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("alive_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pulse")),
    )
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
    op.create_table(
        "recovery_codes",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("guest", "code", name=op.f("pk_recovery_codes")),
    )
    op.create_table(
        "retired_secrets",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retired_secrets")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "seeks",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("pool", sa.String(length=64), nullable=False),
        sa.Column("bot", sa.String(length=20), nullable=False),
        sa.Column("bots_after", sa.Integer(), nullable=True),
        sa.Column("clock", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=True),
        sa.Column("matched_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("guest", name=op.f("pk_seeks")),
        sa.UniqueConstraint("id", name=op.f("uq_seeks_id")),
    )
    op.create_index(op.f("ix_seeks_pool"), "seeks", ["pool"])
    op.create_index(op.f("ix_seeks_seen_at"), "seeks", ["seen_at"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("label", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token", name=op.f("uq_sessions_token")),
    )
    op.create_index(op.f("ix_sessions_guest"), "sessions", ["guest"])
    op.create_index(op.f("ix_sessions_last_used_at"), "sessions", ["last_used_at"])
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("rules", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("host", sa.String(length=32), nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("abandon_reason", sa.Text(), nullable=True),
        sa.Column("outcome", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("rematch", sa.String(length=16), nullable=True),
        sa.Column("daily", sa.String(length=10), nullable=True),
        sa.Column("figures", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("standing", sa.String(length=100), nullable=True),
        sa.Column("version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("clock", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("driver", sa.String(length=16), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tables")),
        sa.UniqueConstraint("daily", "host", name=op.f("uq_tables_daily_host")),
    )
    op.create_index(op.f("ix_tables_daily_standing_finished_at"), "tables", ["daily", "standing", "finished_at"])
    op.create_index(
        op.f("ix_tables_driver_game_rules"), "tables", ["driver", "game", "rules"], sqlite_where=RUNNING, postgresql_where=RUNNING
    )
    op.create_index(op.f("ix_tables_host_status"), "tables", ["host", "status"])
    op.create_index(op.f("ix_tables_status_created_at"), "tables", ["status", "created_at"])
    op.create_table(
        "uploads",
        sa.Column("link_token", sa.String(length=32), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("link_token", name=op.f("pk_uploads")),
    )
    op.create_index(op.f("ix_uploads_created_at"), "uploads", ["created_at"])
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
        sa.Column("is_deleted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("request_key", sa.String(length=100), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_chat_lines_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "audience", "number", name=op.f("pk_chat_lines")),
        sa.UniqueConstraint("id", name=op.f("uq_chat_lines_id")),
    )
    op.create_index(op.f("ix_chat_lines_guest_created_at"), "chat_lines", ["guest", "created_at"])
    op.create_table(
        "closed_chats",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_closed_chats_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", name=op.f("pk_closed_chats")),
    )
    op.create_table(
        "departures",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_departures_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seat", name=op.f("pk_departures")),
    )
    op.create_table(
        "invitations",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("inviter", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_invitations_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "guest", name=op.f("pk_invitations")),
    )
    op.create_index(op.f("ix_invitations_guest"), "invitations", ["guest"])
    op.create_index(op.f("ix_invitations_inviter"), "invitations", ["inviter"])
    op.create_table(
        "match_entries",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_match_entries_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "number", name=op.f("pk_match_entries")),
    )
    op.create_index(
        op.f("ix_match_entries_table_id"), "match_entries", ["table_id"], sqlite_where=STAND_IN, postgresql_where=STAND_IN
    )
    op.create_table(
        "results",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("bots", sa.String(length=20), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("daily", sa.String(length=10), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_results_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("guest", "table_id", name=op.f("pk_results")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_results_guest_daily_finished_at_score"), "results", ["guest", "daily", "finished_at", "score"])
    op.create_index(op.f("ix_results_table_id"), "results", ["table_id"])
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("bot", sa.String(length=20), nullable=True),
        sa.Column("is_ready", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("link_token", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_seats_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seat", name=op.f("pk_seats")),
        sa.UniqueConstraint("link_token", name=op.f("uq_seats_link_token")),
    )
    op.create_table(
        "seat_guests",
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id", "seat"],
            ["seats.table_id", "seats.seat"],
            name=op.f("fk_seat_guests_table_id_seat_seats"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("table_id", "seat", "guest", name=op.f("pk_seat_guests")),
    )
    op.create_index(op.f("ix_seat_guests_guest"), "seat_guests", ["guest"])
    op.bulk_insert(counters, [{"name": "starts", "value": 0}])
    op.bulk_insert(health_checks, [{"id": 1, "checked_at": None}])
