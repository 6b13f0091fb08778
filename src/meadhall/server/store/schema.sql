-- The tables of a new hall. ``schema.py`` changes older ones.
--
-- Times are texts in UTC ("2026-11-28 02:52:00.000000"). A column of the type JSON has its value as a text.

CREATE TABLE secrets (
  name VARCHAR(40) NOT NULL PRIMARY KEY,
  value VARCHAR(200) NOT NULL
);

-- Keys that were replaced. They are accepted for a while.
CREATE TABLE retired_secrets (
  id INTEGER NOT NULL PRIMARY KEY,
  name VARCHAR(40) NOT NULL,
  value VARCHAR(200) NOT NULL,
  valid_until DATETIME NOT NULL
);

CREATE TABLE counters (
  name VARCHAR(40) NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
);

CREATE TABLE guests (
  id VARCHAR(32) NOT NULL PRIMARY KEY,  -- a secret: the session cookie is this id, signed
  public_id VARCHAR(16) NOT NULL UNIQUE,  -- what other people may see, for example in addresses
  name VARCHAR(40) NOT NULL,
  language VARCHAR(8) NOT NULL,
  theme VARCHAR(8) NOT NULL,
  motion VARCHAR(8) DEFAULT 'auto' NOT NULL,
  confirm VARCHAR(8) DEFAULT 'slow' NOT NULL,
  onward VARCHAR(8) DEFAULT 'stay' NOT NULL,
  crest VARCHAR(16),  -- "raven-blue"; NULL until the guest chooses one
  choices JSON,
  profile VARCHAR(10) DEFAULT 'opponents' NOT NULL,
  notifications JSON,
  created_at DATETIME NOT NULL,
  admitted_at DATETIME,  -- by an invitation to the hall
  admitted_by VARCHAR(16),  -- the id of that invitation
  closed_at DATETIME,  -- by the host of the hall or a helper
  role VARCHAR(8) DEFAULT '' NOT NULL,  -- 'helper' or 'host' of the hall; only of an account
  closed_until DATETIME,  -- NULL with closed_at: for good
  muted_until DATETIME,
  reason VARCHAR(300) DEFAULT '' NOT NULL,  -- why they were muted, closed or renamed last
  told VARCHAR(60) DEFAULT '' NOT NULL,  -- what the next page tells them, see moderation.py
  asks VARCHAR(200)  -- what a new guest says who waits until a helper admits them; NULL for all others
);

CREATE INDEX ix_guests_asks ON guests (created_at) WHERE asks IS NOT NULL;

-- A guest with an account has proved who they are, by a passkey or a password. Their name, in ``guests``, is unique.
CREATE TABLE accounts (
  guest VARCHAR(32) NOT NULL PRIMARY KEY,
  drawn_name VARCHAR(64) NOT NULL UNIQUE,  -- hashes that look-alike names share, see lookalikes.py
  folded_name VARCHAR(64) NOT NULL UNIQUE,
  handle VARCHAR(64) NOT NULL UNIQUE,  -- the user handle in passkeys (WebAuthn, 5.4.3)
  password VARCHAR(200),  -- as Argon2 encodes its hash
  created_at DATETIME NOT NULL
);

CREATE TABLE passkeys (
  id VARCHAR(1400) NOT NULL PRIMARY KEY,  -- the credential id, in base64url
  guest VARCHAR(32) NOT NULL,
  public_key BLOB NOT NULL,
  sign_count BIGINT NOT NULL,
  transports JSON NOT NULL,
  label VARCHAR(60) NOT NULL,
  created_at DATETIME NOT NULL,
  last_used_at DATETIME
);
CREATE INDEX ix_passkeys_guest ON passkeys (guest);

-- A code that was used has no row.
CREATE TABLE recovery_codes (
  guest VARCHAR(32) NOT NULL,
  code VARCHAR(64) NOT NULL,  -- its SHA-256
  PRIMARY KEY (guest, code)
);

-- Devices and programs that are signed in to an account.
CREATE TABLE sessions (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  token VARCHAR(64) NOT NULL UNIQUE,  -- the SHA-256 of the cookie or bearer token
  guest VARCHAR(32) NOT NULL,
  kind VARCHAR(8) NOT NULL,
  label VARCHAR(60) NOT NULL,
  created_at DATETIME NOT NULL,
  confirmed_at DATETIME NOT NULL,
  last_used_at DATETIME NOT NULL
);
CREATE INDEX ix_sessions_guest ON sessions (guest);
CREATE INDEX ix_sessions_last_used_at ON sessions (last_used_at);

-- Passkeys that are being made or used. A challenge is accepted once, from the guest who got it.
CREATE TABLE challenges (
  challenge VARCHAR(64) NOT NULL PRIMARY KEY,
  purpose VARCHAR(12) NOT NULL,
  guest VARCHAR(32) NOT NULL,
  handle VARCHAR(64),
  expires_at DATETIME NOT NULL
);
CREATE INDEX ix_challenges_expires_at ON challenges (expires_at);

-- Failed attempts to sign in, by account, device and address; see accounts.py.
CREATE TABLE failed_attempts (
  key VARCHAR(64) NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL,
  next_at DATETIME NOT NULL,
  last_at DATETIME NOT NULL
);
CREATE INDEX ix_failed_attempts_last_at ON failed_attempts (last_at);

CREATE TABLE tables (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  game VARCHAR(40) NOT NULL,
  rules INTEGER NOT NULL,
  options JSON NOT NULL,
  status VARCHAR(12) NOT NULL,
  host VARCHAR(32) NOT NULL,
  is_public BOOLEAN NOT NULL,
  seed BLOB NOT NULL,
  created_at DATETIME NOT NULL,
  started_at DATETIME,
  finished_at DATETIME,
  abandon_reason TEXT,
  outcome JSON,
  rematch VARCHAR(16),
  daily VARCHAR(10),
  figures JSON,
  standing VARCHAR(100),
  version INTEGER DEFAULT 0 NOT NULL,
  clock JSON,
  UNIQUE (daily, host)
);
CREATE INDEX ix_tables_daily_standing_finished_at ON tables (daily, standing, finished_at);
CREATE INDEX ix_tables_host_status ON tables (host, status);
CREATE INDEX ix_tables_status_created_at ON tables (status, created_at);

-- How many attempts at a daily puzzle have each result, so that its page need not read all attempts.
CREATE TABLE daily_scores (
  day VARCHAR(10) NOT NULL,
  figures VARCHAR(300) NOT NULL,
  standing VARCHAR(100) NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (day, figures)
);

CREATE TABLE seats (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  seat INTEGER NOT NULL,
  kind VARCHAR(8) NOT NULL,
  name VARCHAR(40) NOT NULL,
  bot VARCHAR(20),
  is_ready BOOLEAN DEFAULT 0 NOT NULL,
  link_token VARCHAR(32) NOT NULL UNIQUE,
  crest VARCHAR(16),  -- of the person, as the name
  PRIMARY KEY (table_id, seat)
);

-- A seat belongs to several guests after it was moved to another device.
CREATE TABLE seat_guests (
  table_id VARCHAR(16) NOT NULL,
  seat INTEGER NOT NULL,
  guest VARCHAR(32) NOT NULL,
  PRIMARY KEY (table_id, seat, guest),
  FOREIGN KEY (table_id, seat) REFERENCES seats (table_id, seat) ON DELETE CASCADE
);
CREATE INDEX ix_seat_guests_guest ON seat_guests (guest);

-- Rows are appended and never changed.
CREATE TABLE match_entries (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  kind VARCHAR(16) NOT NULL,
  seat INTEGER NOT NULL,
  value INTEGER NOT NULL,
  created_at DATETIME NOT NULL,
  data JSON,
  PRIMARY KEY (table_id, number)
);
CREATE INDEX ix_match_entries_table_id ON match_entries (table_id) WHERE kind = 'stand_in';

-- A finished match, as it counts for each guest who had a seat in it. The transaction that ends the match writes the rows.
-- A copy of facts in other tables: the rows of one guest lie together, so a profile reads them quickly.
CREATE TABLE results (
  guest VARCHAR(32) NOT NULL,
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  seat INTEGER NOT NULL,
  game VARCHAR(40) NOT NULL,
  variant TEXT NOT NULL,
  players INTEGER NOT NULL,
  people INTEGER NOT NULL,
  bots VARCHAR(20) NOT NULL,
  score FLOAT,
  place INTEGER,
  decisions INTEGER NOT NULL,
  hints INTEGER NOT NULL,
  take_backs INTEGER DEFAULT 0 NOT NULL,
  daily VARCHAR(10),
  finished_at DATETIME NOT NULL,
  PRIMARY KEY (guest, table_id)
) WITHOUT ROWID;
CREATE INDEX ix_results_guest_daily_take_backs_finished_at_score ON results (guest, daily, take_backs, finished_at, score);
CREATE INDEX ix_results_table_id ON results (table_id);

-- A request for a new table that repeats a key of its guest gets the same table.
CREATE TABLE idempotency_keys (
  guest VARCHAR(32) NOT NULL,
  key VARCHAR(100) NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  table_id VARCHAR(16) NOT NULL,
  created_at DATETIME NOT NULL,
  PRIMARY KEY (guest, key)
);
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);

CREATE TABLE uploads (
  link_token VARCHAR(32) NOT NULL PRIMARY KEY,
  record TEXT NOT NULL,
  created_at DATETIME NOT NULL
);
CREATE INDEX ix_uploads_created_at ON uploads (created_at);

-- One row, which only health checks write: a database that can be read may not be writable.
CREATE TABLE health_checks (
  id INTEGER NOT NULL PRIMARY KEY,
  checked_at DATETIME
);

-- One row: the version of Meadhall that has opened the hall last.
CREATE TABLE release (
  id INTEGER NOT NULL PRIMARY KEY,
  meadhall VARCHAR(40) NOT NULL
);

-- One row: when the hall ran last; see uptime.py.
CREATE TABLE pulse (
  id INTEGER NOT NULL PRIMARY KEY,
  alive_at DATETIME NOT NULL
);

-- The times in which the hall didn't run.
CREATE TABLE downtimes (
  began_at DATETIME NOT NULL PRIMARY KEY,
  ended_at DATETIME NOT NULL
);

-- Players of running matches who have no open page, and since when.
CREATE TABLE departures (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  seat INTEGER NOT NULL,
  left_at DATETIME NOT NULL,
  PRIMARY KEY (table_id, seat)
);

-- The times in which the slow clocks of a guest stand; see hall/time/holidays.py.
CREATE TABLE holidays (
  guest VARCHAR(32) NOT NULL,
  began_at DATETIME NOT NULL,
  ended_at DATETIME NOT NULL,
  PRIMARY KEY (guest, began_at)
);

-- Work that waits for its time; see jobs.py. A job that is done has no row.
CREATE TABLE jobs (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  kind VARCHAR(40) NOT NULL,
  key VARCHAR(100) NOT NULL,
  due_at DATETIME NOT NULL,
  payload JSON NOT NULL,
  attempts INTEGER DEFAULT 0 NOT NULL,
  UNIQUE (kind, key)
);
CREATE INDEX ix_jobs_due_at ON jobs (due_at);

-- Reports and prints. ``answer`` is that of their process, see hall/orders.py. The address of the guest is not stored.
CREATE TABLE orders (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  guest VARCHAR(32) NOT NULL,
  kind VARCHAR(8) NOT NULL,
  request JSON NOT NULL,
  state VARCHAR(8) NOT NULL,
  answer JSON,
  created_at DATETIME NOT NULL,
  question VARCHAR(16)  -- to which a report belongs, with which it is deleted
);
CREATE INDEX ix_orders_guest ON orders (guest);
CREATE INDEX ix_orders_question ON orders (question);

-- Questions of the workshop: who knows the id may read one, and only its guest changes it. See questions.py.
CREATE TABLE questions (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  guest VARCHAR(32) NOT NULL,
  game VARCHAR(40) NOT NULL,
  content JSON NOT NULL,
  revision INTEGER NOT NULL,
  changed_at DATETIME NOT NULL
);
CREATE INDEX ix_questions_guest_changed_at ON questions (guest, changed_at);
CREATE INDEX ix_questions_changed_at ON questions (changed_at);

-- What a question was before its last changes, for undo: compressed JSON.
CREATE TABLE question_pasts (
  question VARCHAR(16) NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (question, revision)
);

-- The browsers that receive push messages of a guest, and the keys that encrypt them (RFC 8291).
CREATE TABLE push_subscriptions (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  guest VARCHAR(32) NOT NULL,
  endpoint VARCHAR(1000) NOT NULL UNIQUE,
  p256dh VARCHAR(100) NOT NULL,
  auth VARCHAR(40) NOT NULL,
  vapid_key VARCHAR(100) NOT NULL,
  device VARCHAR(60) NOT NULL,
  created_at DATETIME NOT NULL,
  session VARCHAR(16),  -- see sessions.py
  refusal VARCHAR(200)  -- of the last message, by the push service
);
CREATE INDEX ix_push_subscriptions_guest ON push_subscriptions (guest);
CREATE INDEX ix_push_subscriptions_session ON push_subscriptions (session);

-- What people say at a table. The lines of its players and those of its spectators are numbered separately: a number tells
-- nothing of the others. A preset phrase is stored by its key.
CREATE TABLE chat_lines (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  audience VARCHAR(12) NOT NULL,
  number INTEGER NOT NULL,
  id VARCHAR(16) NOT NULL UNIQUE,
  guest VARCHAR(32) NOT NULL,
  seat INTEGER,
  name VARCHAR(40) NOT NULL,
  text TEXT NOT NULL,
  phrase VARCHAR(20),
  is_deleted BOOLEAN DEFAULT 0 NOT NULL,
  request_key VARCHAR(100),
  created_at DATETIME NOT NULL,
  PRIMARY KEY (table_id, audience, number)
);
CREATE INDEX ix_chat_lines_guest_created_at ON chat_lines (guest, created_at);

-- What a guest has noted at a table. Only that guest reads it.
CREATE TABLE notes (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  guest VARCHAR(32) NOT NULL,
  text TEXT NOT NULL,
  changed_at DATETIME NOT NULL,
  PRIMARY KEY (table_id, guest)
);
CREATE INDEX ix_notes_guest ON notes (guest);

-- The tables whose host has closed the chat.
CREATE TABLE closed_chats (
  table_id VARCHAR(16) NOT NULL PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
  closed_at DATETIME NOT NULL
);

-- Whom a guest has muted or blocked.
CREATE TABLE ignored_guests (
  guest VARCHAR(32) NOT NULL,
  kind VARCHAR(8) NOT NULL,
  other VARCHAR(32) NOT NULL,
  created_at DATETIME NOT NULL,
  PRIMARY KEY (guest, kind, other)
);
CREATE INDEX ix_ignored_guests_other ON ignored_guests (other);

-- Links that admit people to a hall for invited guests.
CREATE TABLE admission_links (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  token VARCHAR(64) NOT NULL UNIQUE,
  note VARCHAR(100) NOT NULL,
  uses INTEGER,
  used INTEGER NOT NULL,
  created_at DATETIME NOT NULL,
  expires_at DATETIME
);

-- Links that make another device the same guest.
CREATE TABLE identity_links (
  token VARCHAR(64) NOT NULL PRIMARY KEY,
  guest VARCHAR(32) NOT NULL,
  for_account BOOLEAN NOT NULL,
  confirms BOOLEAN NOT NULL,
  expires_at DATETIME NOT NULL,
  session VARCHAR(16)  -- see sessions.py
);
CREATE INDEX ix_identity_links_expires_at ON identity_links (expires_at);
CREATE INDEX ix_identity_links_guest ON identity_links (guest);
CREATE INDEX ix_identity_links_session ON identity_links (session);

-- Invitations to tables: the guest invited, and the host who has invited them.
CREATE TABLE invitations (
  table_id VARCHAR(16) NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
  guest VARCHAR(32) NOT NULL,
  inviter VARCHAR(32) NOT NULL,
  created_at DATETIME NOT NULL,
  declined_at DATETIME,
  PRIMARY KEY (table_id, guest)
);
CREATE INDEX ix_invitations_guest ON invitations (guest);
CREATE INDEX ix_invitations_inviter ON invitations (inviter);

-- What people have reported: a line of chat, a name, or a person's conduct. Reports of one thing are one case.
CREATE TABLE cases (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  kind VARCHAR(8) NOT NULL,
  subject VARCHAR(80) NOT NULL,  -- the id of the line, or the public id of the person, with the name or the table
  person VARCHAR(32) NOT NULL,  -- of whom it is
  name VARCHAR(40) NOT NULL,  -- what they were called then
  evidence TEXT NOT NULL,  -- the line or the name, as it was then
  table_id VARCHAR(16),
  address VARCHAR(64),  -- a hash, see closings; NULL once the case is closed
  created_at DATETIME NOT NULL,
  closed_at DATETIME,
  outcome VARCHAR(60) DEFAULT '' NOT NULL  -- what was done, separated by blanks
);
CREATE UNIQUE INDEX ix_cases_kind_subject ON cases (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX ix_cases_person ON cases (person);
CREATE INDEX ix_cases_closed_at ON cases (closed_at);

CREATE TABLE reports (
  case_id VARCHAR(16) NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
  guest VARCHAR(32) NOT NULL,  -- who has reported it
  reason VARCHAR(8) NOT NULL,
  words VARCHAR(300) NOT NULL,
  created_at DATETIME NOT NULL,
  PRIMARY KEY (case_id, guest)
);
CREATE INDEX ix_reports_guest_created_at ON reports (guest, created_at);

-- The addresses of people who were shut out, as hashes with a secret of the hall, as long as that lasts.
CREATE TABLE closings (
  address VARCHAR(64) NOT NULL PRIMARY KEY,
  guest VARCHAR(32),
  ends_at DATETIME  -- NULL: never
);
CREATE INDEX ix_closings_guest ON closings (guest);

-- What hosts and helpers have done. Rows are appended and never changed.
CREATE TABLE host_log (
  id INTEGER NOT NULL PRIMARY KEY,
  at DATETIME NOT NULL,
  done_by VARCHAR(16) NOT NULL,  -- a public id; '' for a command
  deed VARCHAR(20) NOT NULL,
  subject VARCHAR(80) NOT NULL,
  reason VARCHAR(300) NOT NULL
);
CREATE TRIGGER host_log_is_not_changed BEFORE UPDATE ON host_log BEGIN SELECT RAISE(ABORT, 'the log of the hosts stays as it is'); END;
CREATE TRIGGER host_log_is_not_deleted BEFORE DELETE ON host_log BEGIN SELECT RAISE(ABORT, 'the log of the hosts stays as it is'); END;

-- Evenings: several rounds of matches, led by a guest; see evenings.py.
CREATE TABLE evenings (
  id VARCHAR(16) NOT NULL PRIMARY KEY,
  leader VARCHAR(32) NOT NULL,
  name VARCHAR(60) NOT NULL,
  games JSON NOT NULL,
  rounds INTEGER NOT NULL,
  seats INTEGER NOT NULL,
  clock JSON,
  is_public BOOLEAN NOT NULL,
  created_at DATETIME NOT NULL,
  ended_at DATETIME
);
CREATE INDEX ix_evenings_leader ON evenings (leader);
CREATE INDEX ix_evenings_created_at ON evenings (created_at);

-- Who has joined an evening, and has perhaps left it again.
CREATE TABLE evening_people (
  evening VARCHAR(16) NOT NULL REFERENCES evenings (id) ON DELETE CASCADE,
  guest VARCHAR(32) NOT NULL,
  joined_at DATETIME NOT NULL,
  left_at DATETIME,
  is_removed BOOLEAN DEFAULT 0 NOT NULL,  -- by the leader
  PRIMARY KEY (evening, guest)
);
CREATE INDEX ix_evening_people_guest ON evening_people (guest);

-- Who has sat at which table in which round of an evening. A table with one of these rows only is that of a bye.
CREATE TABLE evening_seats (
  evening VARCHAR(16) NOT NULL REFERENCES evenings (id) ON DELETE CASCADE,
  round INTEGER NOT NULL,
  guest VARCHAR(32) NOT NULL,
  table_id VARCHAR(16) NOT NULL,  -- it may be deleted before the evening
  PRIMARY KEY (evening, round, guest)
);
CREATE INDEX ix_evening_seats_guest ON evening_seats (guest);
-- Who takes part in the ladder, and since when. A level is hidden after ``left_at``.
CREATE TABLE ladder_members (
  guest VARCHAR(32) NOT NULL PRIMARY KEY,
  joined_at DATETIME NOT NULL,
  left_at DATETIME
);

-- The matches that count in the ladder; see ladder.py. Their results are in ``results``.
CREATE TABLE ladder_matches (
  table_id VARCHAR(16) NOT NULL PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE,
  game VARCHAR(40) NOT NULL,
  variant TEXT NOT NULL,
  players INTEGER NOT NULL,
  decisions INTEGER NOT NULL,
  given_up JSON NOT NULL,  -- the seats
  is_early BOOLEAN NOT NULL,
  excluded_at DATETIME,  -- by the host
  finished_at DATETIME NOT NULL
);
CREATE INDEX ix_ladder_matches_game_variant_players_finished_at ON ladder_matches (game, variant, players, finished_at);

-- What the hall believes about the strength of a person; ``recompute`` in ladder.py makes the rows anew.
CREATE TABLE ratings (
  game VARCHAR(40) NOT NULL,
  variant TEXT NOT NULL,
  guest VARCHAR(32) NOT NULL,
  mu FLOAT NOT NULL,
  sigma FLOAT NOT NULL,
  counted INTEGER NOT NULL,
  seats INTEGER NOT NULL,
  matches INTEGER NOT NULL,
  given_up INTEGER NOT NULL,
  PRIMARY KEY (game, variant, guest)
) WITHOUT ROWID;
CREATE INDEX ix_ratings_guest ON ratings (guest);

-- What the host has set while the hall runs; see hall/house.py.
CREATE TABLE switches (
  name VARCHAR(20) NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

-- The mail addresses of accounts, confirmed by a link.
CREATE TABLE mail_addresses (
  guest VARCHAR(32) NOT NULL PRIMARY KEY,
  address VARCHAR(254) NOT NULL COLLATE NOCASE,
  turns BOOLEAN DEFAULT 1 NOT NULL,  -- whether mails about turns are wanted
  told_at DATETIME,  -- when such a mail was written; NULL again after a visit
  refusal VARCHAR(160)  -- why the mail server has refused the address; NULL if it hasn't
);
CREATE INDEX ix_mail_addresses_address ON mail_addresses (address);
CREATE INDEX ix_mail_addresses_told_at ON mail_addresses (told_at) WHERE told_at IS NOT NULL;

-- Addresses that wait for their link.
CREATE TABLE mail_confirmations (
  guest VARCHAR(32) NOT NULL PRIMARY KEY,
  address VARCHAR(254) NOT NULL,
  expires_at DATETIME NOT NULL,
  refusal VARCHAR(160)
);
CREATE INDEX ix_mail_confirmations_expires_at ON mail_confirmations (expires_at);

INSERT INTO counters (name, value) VALUES ('starts', 0);
INSERT INTO health_checks (id) VALUES (1);
