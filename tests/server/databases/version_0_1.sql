-- A database of Meadhall 0.1 (revision 0003), written by that version's own code while three guests played Hoard.
-- Ada, Björn and Eve: one match over, with a rematch that has not begun and an uploaded record; one running, with an action
-- taken back, a hint, and Björn's seat on a second device (Kari); a lobby of Eve's; one given up; the puzzle of 2026-11-26,
-- finished by Ada and begun by Eve.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE carried (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	guest VARCHAR(32) NOT NULL, 
	PRIMARY KEY (table_id, seat, guest), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "carried" VALUES('BaR_xs6FNjwP',1,'703f7a914db8020e58dcdd29');
CREATE TABLE entries (
	table_id VARCHAR(16) NOT NULL, 
	entry INTEGER NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	seat INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (table_id, entry), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "entries" VALUES('e3MqY-CQjiBC',1,'action',0,1,'2026-11-26 09:40:41.660958');
INSERT INTO "entries" VALUES('e3MqY-CQjiBC',2,'action',1,0,'2026-11-26 09:40:41.693063');
INSERT INTO "entries" VALUES('e3MqY-CQjiBC',3,'action',0,3,'2026-11-26 09:40:41.713101');
INSERT INTO "entries" VALUES('e3MqY-CQjiBC',4,'action',1,5,'2026-11-26 09:40:41.719855');
INSERT INTO "entries" VALUES('BaR_xs6FNjwP',1,'action',0,14,'2026-11-26 09:40:42.001288');
INSERT INTO "entries" VALUES('BaR_xs6FNjwP',2,'undo',0,1,'2026-11-26 09:40:42.039608');
INSERT INTO "entries" VALUES('BaR_xs6FNjwP',3,'hint',0,0,'2026-11-26 09:40:42.049567');
INSERT INTO "entries" VALUES('BaR_xs6FNjwP',4,'hinted',0,1,'2026-11-26 09:40:45.159983');
INSERT INTO "entries" VALUES('frhmGnOgMIgh',1,'action',0,13,'2026-11-26 09:40:45.299466');
INSERT INTO "entries" VALUES('nByV2ZeLgXI8',1,'action',0,2,'2026-11-26 09:40:45.609925');
INSERT INTO "entries" VALUES('nByV2ZeLgXI8',2,'action',0,4,'2026-11-26 09:40:45.636374');
INSERT INTO "entries" VALUES('nByV2ZeLgXI8',3,'action',0,8,'2026-11-26 09:40:45.649538');
INSERT INTO "entries" VALUES('tqeMDE1sUlcq',1,'action',0,2,'2026-11-26 09:40:45.761363');
CREATE TABLE guests (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	language VARCHAR(8) NOT NULL, 
	theme VARCHAR(8) NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "guests" VALUES('eaacad1d7cfee1f9338bf3d2','Ada','en','dark','2026-11-26 09:40:40.953627');
INSERT INTO "guests" VALUES('703f7a914db8020e58dcdd29','Björn','de','auto','2026-11-26 09:40:40.965711');
INSERT INTO "guests" VALUES('af87828caca11961519ef555','Eve','en','auto','2026-11-26 09:40:40.989951');
INSERT INTO "guests" VALUES('07028d1bf66129896244b808','Egil','en','auto','2026-11-26 09:40:41.969081');
CREATE TABLE records (
	"key" VARCHAR(32) NOT NULL, 
	record TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "records" VALUES('HD6EYN9Vvq_AKKOHDKqn5V7V','{"format":"meadhall-match/1","game":"hoard","rules":3,"options":{"hand":"few","mode":"rivals"},"seats":[{"name":"Ada","kind":"human"},{"name":"Björn","kind":"human"}],"started":"2026-11-26T09:40:41Z","commitment":"ad2cf4501cdf5e699ed8825c9a565f632ac2fa4ff8e6af18f93ae3d9e2816749","seed":"8318fbe120046babcd531764cf5f58ad10da6e4469f93e1cfdf4c9d7a85a87e6","complete":true,"setup":[["bottom","coin11"],["dealt",0,"coin2"],["dealt",1,"coin1"],["dealt",0,"coin4"],["dealt",1,"coin6"]],"actions":[{"n":1,"seat":0,"action":1,"text":"play coin2","events":[["played",0,"coin2"]]},{"n":2,"seat":1,"action":0,"text":"play coin1","events":[["played",1,"coin1"]]},{"n":3,"seat":0,"action":3,"text":"play coin4","events":[["played",0,"coin4"]]},{"n":4,"seat":1,"action":5,"text":"play coin6","events":[["played",1,"coin6"],["coin",0,1],["coin",0,2],["coin",0,3],["coin",0,4],["coin",0,5],["coin",0,6],["coin",1,1],["coin",1,2],["coin",1,3],["coin",1,4],["coin",1,5],["coin",1,6],["coin",1,7],["ended"]]}],"undone":[],"result":{"winners":[1],"scores":[0,1],"points":[6,7],"reason":"HO-3.1"}}','2026-11-26 09:40:41.802719');
CREATE TABLE seats (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	bot VARCHAR(20), 
	guest VARCHAR(32), 
	"key" VARCHAR(32) NOT NULL, 
	PRIMARY KEY (table_id, seat), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE, 
	UNIQUE ("key")
);
INSERT INTO "seats" VALUES('e3MqY-CQjiBC',0,'human','Ada',NULL,'eaacad1d7cfee1f9338bf3d2','ryjVoOLZR8XyyCioBRPGT4W-');
INSERT INTO "seats" VALUES('e3MqY-CQjiBC',1,'human','Björn',NULL,'703f7a914db8020e58dcdd29','d05uSMUEUOOjG88KisCgEi92');
INSERT INTO "seats" VALUES('cNpI1wqiF6aU',0,'human','Ada',NULL,'eaacad1d7cfee1f9338bf3d2','OD-ZwJmeedbPsFup1Kg-TMWY');
INSERT INTO "seats" VALUES('cNpI1wqiF6aU',1,'human','Björn',NULL,'703f7a914db8020e58dcdd29','Dew8cat1ADyRcfkxSvb6m7Yi');
INSERT INTO "seats" VALUES('BaR_xs6FNjwP',0,'human','Ada',NULL,'eaacad1d7cfee1f9338bf3d2','I177Wjg_Ntw2rQ8DyVfZmq74');
INSERT INTO "seats" VALUES('BaR_xs6FNjwP',1,'human','Björn',NULL,'07028d1bf66129896244b808','BsEYoR0dcO7rWjfqVu7SaxpP');
INSERT INTO "seats" VALUES('BQih2R3jxAuF',0,'human','Eve',NULL,'af87828caca11961519ef555','Aj7FfYuQppbM8zCR6EMF5qxT');
INSERT INTO "seats" VALUES('BQih2R3jxAuF',1,'bot','Gorm','random',NULL,'vnLH4vDEvlsjMULzg00dQlJe');
INSERT INTO "seats" VALUES('BQih2R3jxAuF',2,'open','',NULL,NULL,'We7yN2EChoJYxnQebP-GwBfp');
INSERT INTO "seats" VALUES('frhmGnOgMIgh',0,'bot','Ada','jarl',NULL,'h9hq4dVjkmGIDAHNE0xbSnY5');
INSERT INTO "seats" VALUES('frhmGnOgMIgh',1,'bot','Björn','jarl',NULL,'7j1azcm7tiFNjg6PDVxBqLqc');
INSERT INTO "seats" VALUES('nByV2ZeLgXI8',0,'human','Ada',NULL,'eaacad1d7cfee1f9338bf3d2','DHyAM3bF3pJ6iAOR3yfzS1Rf');
INSERT INTO "seats" VALUES('tqeMDE1sUlcq',0,'human','Eve',NULL,'af87828caca11961519ef555','ljLY-GCK5bDEipyvjU_aQQ8F');
CREATE TABLE secrets (
	name VARCHAR(40) NOT NULL, 
	value VARCHAR(200) NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "secrets" VALUES('guests','736f7bd195ec807dfce8ac1c0de526a4c30c3beba5152746c071e14e685ee380');
INSERT INTO "secrets" VALUES('csrf','881068fbfb4c1e6cce7ab23cad3b5c8e693ed60e17d45a25dbb2c0e5b1f0ff00');
INSERT INTO "secrets" VALUES('daily','c92e87be0f9b8cb40ee9d1e78c54d222709e2e98168aa9fbf9317d6e5ce07f9b');
CREATE TABLE tables (
	id VARCHAR(16) NOT NULL, 
	game VARCHAR(40) NOT NULL, 
	rules INTEGER NOT NULL, 
	options JSON NOT NULL, 
	status VARCHAR(12) NOT NULL, 
	host VARCHAR(32) NOT NULL, 
	public BOOLEAN NOT NULL, 
	seed BLOB NOT NULL, 
	created DATETIME NOT NULL, 
	started DATETIME, 
	finished DATETIME, 
	abandoned TEXT, 
	rematch VARCHAR(16), daily VARCHAR(10), figures JSON, version INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "tables" VALUES('e3MqY-CQjiBC','hoard',3,'{"hand": "few", "mode": "rivals"}','over','eaacad1d7cfee1f9338bf3d2',1,X'8318FBE120046BABCD531764CF5F58AD10DA6E4469F93E1CFDF4C9D7A85A87E6','2026-11-26 09:40:41.010905','2026-11-26 09:40:41.541583','2026-11-26 09:40:41.721043',NULL,'cNpI1wqiF6aU',NULL,NULL,5);
INSERT INTO "tables" VALUES('cNpI1wqiF6aU','hoard',3,'{"hand": "few", "mode": "rivals"}','gathering','703f7a914db8020e58dcdd29',1,X'E634BE9C57C3AD00ADD1C172ED49E702AE395F087F6FE9D832139C123DE0A956','2026-11-26 09:40:41.734205',NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "tables" VALUES('BaR_xs6FNjwP','hoard',3,'{"hand": "many", "mode": "rivals"}','running','eaacad1d7cfee1f9338bf3d2',0,X'8F9EF8C0996CD7BBE9274AA1E1C795B2F9D1F41F42E11EFD4E4FC7DFF9E8B22A','2026-11-26 09:40:41.854248','2026-11-26 09:40:41.911813',NULL,NULL,NULL,NULL,NULL,4);
INSERT INTO "tables" VALUES('BQih2R3jxAuF','hoard',3,'{"hand": "few", "mode": "rivals"}','gathering','af87828caca11961519ef555',1,X'FDB1466F6C72898018DCFE266B85F8D5138F40AB32A033D407D0EB8E3417FAE6','2026-11-26 09:40:45.205148',NULL,NULL,NULL,NULL,NULL,NULL,2);
INSERT INTO "tables" VALUES('frhmGnOgMIgh','hoard',3,'{"hand": "few", "mode": "rivals"}','abandoned','eaacad1d7cfee1f9338bf3d2',0,X'A3FE11464DA629F0B603C269E0A1353A72F49847E144FAEC573DE5697258B01D','2026-11-26 09:40:45.220425','2026-11-26 09:40:45.256212','2026-11-26 09:40:45.410439','everybody left',NULL,NULL,NULL,4);
INSERT INTO "tables" VALUES('nByV2ZeLgXI8','hoard',3,'{"hand": "many", "mode": "together"}','over','eaacad1d7cfee1f9338bf3d2',0,X'E0D2FD9152F8D402ED9001A689E6E423BFEBC27DA7767F0AF9E9E3D7CCE0CC54','2026-11-26 09:40:45.535933','2026-11-26 09:40:45.535939','2026-11-26 09:40:45.650002',NULL,NULL,'2026-11-26','{"won": 0, "coins": 17, "turns": 3}',2);
INSERT INTO "tables" VALUES('tqeMDE1sUlcq','hoard',3,'{"hand": "many", "mode": "together"}','running','af87828caca11961519ef555',0,X'E0D2FD9152F8D402ED9001A689E6E423BFEBC27DA7767F0AF9E9E3D7CCE0CC54','2026-11-26 09:40:45.725484','2026-11-26 09:40:45.725490',NULL,NULL,NULL,'2026-11-26',NULL,0);
CREATE INDEX records_by_age ON records (created);
CREATE INDEX tables_by_host ON tables (host, status);
CREATE INDEX tables_by_status ON tables (status, created);
CREATE INDEX carried_by_guest ON carried (guest);
CREATE INDEX seats_by_guest ON seats (guest);
CREATE UNIQUE INDEX one_attempt_a_day ON tables (daily, host);
COMMIT;
