-- A database of Meadhall 0.1 (revision 0024), written by that version's own code while three guests played Hoard.
-- Ada has an account, her password is "correct horse battery". She and Björn have finished one match, with a line of chat, and
-- play another one with a clock: an action was taken back, and it is Björn's turn. Ada has uploaded the record of the first.
-- Björn looks for a match of three. Eve waits in a lobby with a bot. The hall was killed: its pulse is the last sign of life.
BEGIN TRANSACTION;
CREATE TABLE accounts (
	guest VARCHAR(32) NOT NULL, 
	drawn_name VARCHAR(64) NOT NULL, 
	folded_name VARCHAR(64) NOT NULL, 
	handle VARCHAR(64) NOT NULL, 
	password VARCHAR(200), 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_accounts PRIMARY KEY (guest), 
	CONSTRAINT uq_accounts_drawn_name UNIQUE (drawn_name), 
	CONSTRAINT uq_accounts_folded_name UNIQUE (folded_name), 
	CONSTRAINT uq_accounts_handle UNIQUE (handle)
);
INSERT INTO "accounts" VALUES('e7f03087192eab851eb39336','99a563ab2f6e21e96998f9fddd2a2bab82b70ac019579502b8d7fc0032ff62bb','fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029','qcL7OslMTBhhrcQNLBaud1I3Ed1sHIiA87M50y4O-AU','$argon2id$v=19$m=19456,t=2,p=1$tK8BywOqvF2Sn15aUNzftw$lAF5yK3LnJRpzVT74FXZB4BX1ggOqbakJU5ncwdnvUk','2026-11-27 11:14:36.738004');
CREATE TABLE admission_links (
	id VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	note VARCHAR(100) NOT NULL, 
	uses INTEGER, 
	used INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	CONSTRAINT pk_admission_links PRIMARY KEY (id), 
	CONSTRAINT uq_admission_links_token UNIQUE (token)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0024');
CREATE TABLE challenges (
	challenge VARCHAR(64) NOT NULL, 
	purpose VARCHAR(12) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	handle VARCHAR(64), 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_challenges PRIMARY KEY (challenge)
);
CREATE TABLE chat_lines (
	table_id VARCHAR(16) NOT NULL, 
	audience VARCHAR(12) NOT NULL, 
	number INTEGER NOT NULL, 
	id VARCHAR(16) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	seat INTEGER, 
	name VARCHAR(40) NOT NULL, 
	text TEXT NOT NULL, 
	phrase VARCHAR(20), 
	is_deleted BOOLEAN DEFAULT 0 NOT NULL, 
	request_key VARCHAR(100), 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_chat_lines PRIMARY KEY (table_id, audience, number), 
	CONSTRAINT fk_chat_lines_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE, 
	CONSTRAINT uq_chat_lines_id UNIQUE (id)
);
INSERT INTO "chat_lines" VALUES('R3dIkRGSiIkw','players',1,'VRRpcuO8gaQH','e7f03087192eab851eb39336',0,'Ada','Well played!',NULL,0,NULL,'2026-11-27 11:14:37.299819');
INSERT INTO "chat_lines" VALUES('4Vt9s70o-EmG','players',1,'YRPeOOb3UAgS','bb4d9f3b3343831765201c89',1,'Björn','Skål!',NULL,0,NULL,'2026-11-27 11:14:37.549259');
CREATE TABLE closed_chats (
	table_id VARCHAR(16) NOT NULL, 
	closed_at DATETIME NOT NULL, 
	CONSTRAINT pk_closed_chats PRIMARY KEY (table_id), 
	CONSTRAINT fk_closed_chats_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
CREATE TABLE counters (
	name VARCHAR(40) NOT NULL, 
	value INTEGER NOT NULL, 
	CONSTRAINT pk_counters PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('starts',64);
CREATE TABLE daily_scores (
	day VARCHAR(10) NOT NULL, 
	figures VARCHAR(300) NOT NULL, 
	standing VARCHAR(100) NOT NULL, 
	attempts INTEGER NOT NULL, 
	CONSTRAINT pk_daily_scores PRIMARY KEY (day, figures)
);
CREATE TABLE departures (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	left_at DATETIME NOT NULL, 
	CONSTRAINT pk_departures PRIMARY KEY (table_id, seat), 
	CONSTRAINT fk_departures_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
CREATE TABLE downtimes (
	began_at DATETIME NOT NULL, 
	ended_at DATETIME NOT NULL, 
	CONSTRAINT pk_downtimes PRIMARY KEY (began_at)
);
CREATE TABLE failed_attempts (
	"key" VARCHAR(64) NOT NULL, 
	count INTEGER NOT NULL, 
	next_at DATETIME NOT NULL, 
	last_at DATETIME NOT NULL, 
	CONSTRAINT pk_failed_attempts PRIMARY KEY ("key")
);
CREATE TABLE "guests" (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	language VARCHAR(8) NOT NULL, 
	theme VARCHAR(8) NOT NULL, 
	created_at DATETIME NOT NULL, 
	choices JSON, 
	motion VARCHAR(8) DEFAULT 'auto' NOT NULL, 
	public_id VARCHAR(16) NOT NULL, profile VARCHAR(10) DEFAULT 'opponents' NOT NULL, notifications JSON, admitted_at DATETIME, closed_at DATETIME, 
	CONSTRAINT pk_guests PRIMARY KEY (id), 
	CONSTRAINT uq_guests_public_id UNIQUE (public_id)
);
INSERT INTO "guests" VALUES('e7f03087192eab851eb39336','Ada','en','dark','2026-11-27 11:14:35.562982',NULL,'auto','GWM0YN_gZ0y_','opponents',NULL,NULL,NULL);
INSERT INTO "guests" VALUES('bb4d9f3b3343831765201c89','Björn','de','auto','2026-11-27 11:14:35.592755',NULL,'auto','UIqr2r029Pqa','opponents',NULL,NULL,NULL);
INSERT INTO "guests" VALUES('b54a0360303187483038968a','Eve','en','auto','2026-11-27 11:14:35.613188',NULL,'auto','3Hsf03P8keoU','opponents',NULL,NULL,NULL);
CREATE TABLE health_checks (
	id INTEGER NOT NULL, 
	checked_at DATETIME, 
	CONSTRAINT pk_health_checks PRIMARY KEY (id)
);
INSERT INTO "health_checks" VALUES(1,'2026-11-27 11:14:34.555883');
CREATE TABLE idempotency_keys (
	guest VARCHAR(32) NOT NULL, 
	"key" VARCHAR(100) NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	table_id VARCHAR(16) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (guest, "key")
);
CREATE TABLE identity_links (
	token VARCHAR(64) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	for_account BOOLEAN NOT NULL, 
	confirms BOOLEAN NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_identity_links PRIMARY KEY (token)
);
CREATE TABLE ignored_guests (
	guest VARCHAR(32) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	other VARCHAR(32) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_ignored_guests PRIMARY KEY (guest, kind, other)
);
CREATE TABLE invitations (
	table_id VARCHAR(16) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	inviter VARCHAR(32) NOT NULL, 
	created_at DATETIME NOT NULL, 
	declined_at DATETIME, 
	CONSTRAINT pk_invitations PRIMARY KEY (table_id, guest), 
	CONSTRAINT fk_invitations_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
CREATE TABLE jobs (
	id VARCHAR(16) NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	"key" VARCHAR(100) NOT NULL, 
	due_at DATETIME NOT NULL, 
	payload JSON NOT NULL, 
	attempts INTEGER DEFAULT '0' NOT NULL, 
	claimed_by VARCHAR(16), 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_kind_key UNIQUE (kind, "key")
);
INSERT INTO "jobs" VALUES('2dLDuWrV_rFr','housekeeping','','2026-11-27 12:14:35.492412','{}',0,NULL);
INSERT INTO "jobs" VALUES('Wa-2EeoTC3lZ','clock','4Vt9s70o-EmG','2026-11-28 11:14:37.534914','{}',0,NULL);
CREATE TABLE "match_entries" (
	table_id VARCHAR(16) NOT NULL, 
	number INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	data JSON, 
	CONSTRAINT pk_match_entries PRIMARY KEY (table_id, number), 
	CONSTRAINT fk_match_entries_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "match_entries" VALUES('R3dIkRGSiIkw',1,'action',0,2,'2026-11-27 11:14:37.161939',NULL);
INSERT INTO "match_entries" VALUES('R3dIkRGSiIkw',2,'action',1,4,'2026-11-27 11:14:37.168543',NULL);
INSERT INTO "match_entries" VALUES('R3dIkRGSiIkw',3,'action',0,5,'2026-11-27 11:14:37.194750',NULL);
INSERT INTO "match_entries" VALUES('R3dIkRGSiIkw',4,'action',1,11,'2026-11-27 11:14:37.214308',NULL);
INSERT INTO "match_entries" VALUES('4Vt9s70o-EmG',1,'action',0,14,'2026-11-27 11:14:37.500326',NULL);
INSERT INTO "match_entries" VALUES('4Vt9s70o-EmG',2,'undo',0,1,'2026-11-27 11:14:37.526680',NULL);
INSERT INTO "match_entries" VALUES('4Vt9s70o-EmG',3,'action',0,13,'2026-11-27 11:14:37.534914',NULL);
CREATE TABLE passkeys (
	id VARCHAR(1400) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	public_key BLOB NOT NULL, 
	sign_count BIGINT NOT NULL, 
	transports JSON NOT NULL, 
	label VARCHAR(60) NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_used_at DATETIME, 
	CONSTRAINT pk_passkeys PRIMARY KEY (id)
);
CREATE TABLE processes (
	id VARCHAR(16) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	started_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	has_ended BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_processes PRIMARY KEY (id)
);
CREATE TABLE pulse (
	id INTEGER NOT NULL, 
	alive_at DATETIME NOT NULL, 
	CONSTRAINT pk_pulse PRIMARY KEY (id)
);
INSERT INTO "pulse" VALUES(1,'2026-11-27 11:14:37.654030');
CREATE TABLE push_subscriptions (
	id VARCHAR(16) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	endpoint VARCHAR(1000) NOT NULL, 
	p256dh VARCHAR(100) NOT NULL, 
	auth VARCHAR(40) NOT NULL, 
	vapid_key VARCHAR(100) NOT NULL, 
	device VARCHAR(60) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_push_subscriptions PRIMARY KEY (id), 
	CONSTRAINT uq_push_subscriptions_endpoint UNIQUE (endpoint)
);
CREATE TABLE recovery_codes (
	guest VARCHAR(32) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (guest, code)
);
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','89eb6e104023237a285a27eff5ddb396a73a70d9649ffb0bcbe740ad347f3fee');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','e82bf1a4b76d79f41639ec1d2fe0dccb1b1a8be19194feb023f11dbb2d99f9e6');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','0cdef2502167753e4c932144b2b16d6fc5ac52b6187d53aa61d374aa0d9ac77a');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','67c630bf3b40536aa0e1adc057a2dbde079c15fbbf29a961e14ff83b71211c67');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','60d1b0cdce3712bd535ba37340865dd549ca8a3c2103d145a7d553a1617ae36d');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','75220d0297acc7a679beb3abb23668031cf9de583f2454c3f2ed681bda17cbb6');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','b1350e37fed34713cd248ad9d054bf4975bfc91dcc0a2994072957b4b86baeaf');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','04481da68c1d018eb54ad2886388ec50d71495aab98c117d423e157428ff7ef7');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','551668e206491482c8eaf1cfb4f815199342c43a22019a6645df90521df38f4a');
INSERT INTO "recovery_codes" VALUES('e7f03087192eab851eb39336','7cf4e0c52e761818bafc19e255c7144f8209d000c799b580369a5450b4970b24');
CREATE TABLE results (
	guest VARCHAR(32) NOT NULL, 
	table_id VARCHAR(16) NOT NULL, 
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
	daily VARCHAR(10), 
	finished_at DATETIME NOT NULL, 
	CONSTRAINT pk_results PRIMARY KEY (guest, table_id), 
	CONSTRAINT fk_results_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "results" VALUES('bb4d9f3b3343831765201c89','R3dIkRGSiIkw',1,'hoard','{"hand":"few","mode":"rivals"}',2,2,'',1.0,1,4,0,NULL,'2026-11-27 11:14:37.214598');
INSERT INTO "results" VALUES('e7f03087192eab851eb39336','R3dIkRGSiIkw',0,'hoard','{"hand":"few","mode":"rivals"}',2,2,'',0.0,2,4,0,NULL,'2026-11-27 11:14:37.214598');
CREATE TABLE retired_secrets (
	id INTEGER NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	value VARCHAR(200) NOT NULL, 
	valid_until DATETIME NOT NULL, 
	CONSTRAINT pk_retired_secrets PRIMARY KEY (id)
);
CREATE TABLE seat_guests (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_seat_guests PRIMARY KEY (table_id, seat, guest), 
	CONSTRAINT fk_seat_guests_table_id_seat_seats FOREIGN KEY(table_id, seat) REFERENCES seats (table_id, seat) ON DELETE CASCADE
);
INSERT INTO "seat_guests" VALUES('R3dIkRGSiIkw',0,'e7f03087192eab851eb39336');
INSERT INTO "seat_guests" VALUES('R3dIkRGSiIkw',1,'bb4d9f3b3343831765201c89');
INSERT INTO "seat_guests" VALUES('4Vt9s70o-EmG',0,'e7f03087192eab851eb39336');
INSERT INTO "seat_guests" VALUES('4Vt9s70o-EmG',1,'bb4d9f3b3343831765201c89');
INSERT INTO "seat_guests" VALUES('Sp3yf_uNEe0_',0,'b54a0360303187483038968a');
CREATE TABLE seats (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	bot VARCHAR(20), 
	link_token VARCHAR(32) NOT NULL, is_ready BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (table_id, seat), 
	CONSTRAINT fk_seats_table_id_tables FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE, 
	CONSTRAINT uq_seats_link_token UNIQUE (link_token)
);
INSERT INTO "seats" VALUES('R3dIkRGSiIkw',0,'human','Ada',NULL,'x7AdUqBGesydy39vCgRIygAn',0);
INSERT INTO "seats" VALUES('R3dIkRGSiIkw',1,'human','Björn',NULL,'LW7QHiCpF7lMKHx3nwMsDpz3',0);
INSERT INTO "seats" VALUES('4Vt9s70o-EmG',0,'human','Ada',NULL,'mGqOZEd03h4uUTQMtMgOSF-D',0);
INSERT INTO "seats" VALUES('4Vt9s70o-EmG',1,'human','Björn',NULL,'y2gHkJ_ZqGk7SMZTPF8gUQZX',0);
INSERT INTO "seats" VALUES('Sp3yf_uNEe0_',0,'human','Eve',NULL,'LAFUyen80eBLUQ_ElS4flPDu',0);
INSERT INTO "seats" VALUES('Sp3yf_uNEe0_',1,'bot','Gorm','karl','SmglFeH0IDczaDFjKY3GiOS6',0);
INSERT INTO "seats" VALUES('Sp3yf_uNEe0_',2,'open','',NULL,'a6WpNsKY9AMB5wqdVtcXHEFD',0);
CREATE TABLE secrets (
	name VARCHAR(40) NOT NULL, 
	value VARCHAR(200) NOT NULL, 
	CONSTRAINT pk_secrets PRIMARY KEY (name)
);
INSERT INTO "secrets" VALUES('push','eaeb142bed20b3cd3e94e4dcb88020397fb11688ca2bcc84acb1a17cb182f0e2');
INSERT INTO "secrets" VALUES('guests','5fb6926375627fce4045417e20991876f1063eec638249a9d81cc50db1ecddde');
CREATE TABLE seeks (
	guest VARCHAR(32) NOT NULL, 
	id VARCHAR(16) NOT NULL, 
	game VARCHAR(40) NOT NULL, 
	players INTEGER NOT NULL, 
	options JSON NOT NULL, 
	pool VARCHAR(64) NOT NULL, 
	bot VARCHAR(20) NOT NULL, 
	bots_after INTEGER, 
	clock JSON, 
	created_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	table_id VARCHAR(16), 
	matched_at DATETIME, 
	CONSTRAINT pk_seeks PRIMARY KEY (guest), 
	CONSTRAINT uq_seeks_id UNIQUE (id)
);
INSERT INTO "seeks" VALUES('bb4d9f3b3343831765201c89','yWhC-G02tUy8','hoard',3,'{"hand": "few", "mode": "rivals"}','b3917c4efc7540e6f80ea5cc1171f16444a12353eeb64a8a90f4724fa86ad161','huscarl',NULL,NULL,'2026-11-27 11:14:37.614831','2026-11-27 11:14:37.616029',NULL,NULL);
CREATE TABLE sessions (
	id VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	label VARCHAR(60) NOT NULL, 
	created_at DATETIME NOT NULL, 
	confirmed_at DATETIME NOT NULL, 
	last_used_at DATETIME NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT uq_sessions_token UNIQUE (token)
);
INSERT INTO "sessions" VALUES('gu7pAsmiHL1l','dc42efca6737e92a56e37263c5c1b2c71d08afac65c75662847821f04eca8cd3','e7f03087192eab851eb39336','browser','A device','2026-11-27 11:14:36.713735','2026-11-27 11:14:36.713735','2026-11-27 11:14:36.713735');
CREATE TABLE tables (
	id VARCHAR(16) NOT NULL, 
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
	rematch VARCHAR(16), 
	daily VARCHAR(10), 
	figures JSON, 
	version INTEGER DEFAULT '0' NOT NULL, outcome JSON, standing VARCHAR(100), driver VARCHAR(16), clock JSON, 
	CONSTRAINT pk_tables PRIMARY KEY (id), 
	CONSTRAINT uq_tables_daily_host UNIQUE (daily, host)
);
INSERT INTO "tables" VALUES('R3dIkRGSiIkw','hoard',3,'{"hand": "few", "mode": "rivals"}','over','e7f03087192eab851eb39336',0,X'74CAFBDEE523A6BEF30A3FE50C45038281EC958757A3C411A4E23FB90E900C99','2026-11-27 11:14:37.005776','2026-11-27 11:14:37.090812','2026-11-27 11:14:37.214598',NULL,NULL,NULL,NULL,3,'{"winners": [1], "scores": [0.0, 1.0], "why": null, "places": [2, 1]}',NULL,NULL,NULL);
INSERT INTO "tables" VALUES('4Vt9s70o-EmG','hoard',3,'{"hand": "few", "mode": "rivals"}','running','e7f03087192eab851eb39336',0,X'DD4B600236EF93614EB4DA035C73825D6DCF32EE8B3B8E91066AA29D5479F7CA','2026-11-27 11:14:37.414353','2026-11-27 11:14:37.477700',NULL,NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,'{"kind": "slow", "seconds": 86400, "time_up": "resign"}');
INSERT INTO "tables" VALUES('Sp3yf_uNEe0_','hoard',3,'{"hand": "few", "mode": "rivals"}','gathering','b54a0360303187483038968a',0,X'F6E0A8BC00E5AD8FA4C9797842DD4D5C1D2D2CFC1767EFCC6AA3B006359D4F8C','2026-11-27 11:14:37.577737',NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL);
CREATE TABLE uploads (
	link_token VARCHAR(32) NOT NULL, 
	record TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_uploads PRIMARY KEY (link_token)
);
INSERT INTO "uploads" VALUES('6tUOvInGj-VVnEPj7T26RJT3','{"format":"meadhall-match/1","game":"hoard","rules":3,"options":{"hand":"few","mode":"rivals"},"seats":[{"name":"Ada","kind":"human"},{"name":"Björn","kind":"human"}],"started":"2026-11-27T11:14:37Z","commitment":"39679c3d53a0d76187ea3e55375e04b76eaaf007b26534c8dfb66f12548b7387","seed":"74cafbdee523a6bef30a3fe50c45038281ec958757a3c411a4e23fb90e900c99","complete":true,"setup":[["bottom","coin7"],["dealt",0,"coin3"],["dealt",1,"coin5"],["dealt",0,"coin6"],["dealt",1,"coin12"]],"actions":[{"n":1,"seat":0,"action":2,"text":"play coin3","events":[["played",0,"coin3"]]},{"n":2,"seat":1,"action":4,"text":"play coin5","events":[["played",1,"coin5"]]},{"n":3,"seat":0,"action":5,"text":"play coin6","events":[["played",0,"coin6"]]},{"n":4,"seat":1,"action":11,"text":"play coin12","events":[["played",1,"coin12"],["coin",0,1],["coin",0,2],["coin",0,3],["coin",0,4],["coin",0,5],["coin",0,6],["coin",0,7],["coin",0,8],["coin",0,9],["coin",1,1],["coin",1,2],["coin",1,3],["coin",1,4],["coin",1,5],["coin",1,6],["coin",1,7],["coin",1,8],["coin",1,9],["coin",1,10],["coin",1,11],["coin",1,12],["coin",1,13],["coin",1,14],["coin",1,15],["coin",1,16],["coin",1,17],["ended"]]}],"undone":[],"result":{"winners":[1],"scores":[0,1],"points":[9,17],"reason":"HO-3.1"}}','2026-11-27 11:14:37.384240');
CREATE INDEX ix_tables_status_created_at ON tables (status, created_at);
CREATE INDEX ix_tables_host_status ON tables (host, status);
CREATE INDEX ix_uploads_created_at ON uploads (created_at);
CREATE INDEX ix_seat_guests_guest ON seat_guests (guest);
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
CREATE INDEX ix_tables_daily_standing_finished_at ON tables (daily, standing, finished_at);
CREATE INDEX ix_tables_driver_game_rules ON tables (driver, game, rules) WHERE status = 'running';
CREATE INDEX ix_jobs_due_at ON jobs (due_at);
CREATE INDEX ix_results_table_id ON results (table_id);
CREATE INDEX ix_results_guest_daily_finished_at_score ON results (guest, daily, finished_at, score);
CREATE INDEX ix_match_entries_table_id ON match_entries (table_id) WHERE kind = 'stand_in';
CREATE INDEX ix_passkeys_guest ON passkeys (guest);
CREATE INDEX ix_sessions_guest ON sessions (guest);
CREATE INDEX ix_sessions_last_used_at ON sessions (last_used_at);
CREATE INDEX ix_challenges_expires_at ON challenges (expires_at);
CREATE INDEX ix_failed_attempts_last_at ON failed_attempts (last_at);
CREATE INDEX ix_push_subscriptions_guest ON push_subscriptions (guest);
CREATE INDEX ix_chat_lines_guest_created_at ON chat_lines (guest, created_at);
CREATE INDEX ix_ignored_guests_other ON ignored_guests (other);
CREATE INDEX ix_seeks_pool ON seeks (pool);
CREATE INDEX ix_seeks_seen_at ON seeks (seen_at);
CREATE INDEX ix_invitations_guest ON invitations (guest);
CREATE INDEX ix_invitations_inviter ON invitations (inviter);
CREATE INDEX ix_identity_links_guest ON identity_links (guest);
CREATE INDEX ix_identity_links_expires_at ON identity_links (expires_at);
COMMIT;
