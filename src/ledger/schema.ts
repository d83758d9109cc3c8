/**
 * The tables, one entry per version. Never edit an entry that has been released: add a new one.
 * `docs/ledger.md` describes the columns.
 *
 * Finished runs pile up, so queries that run many times a second have an index of the few open ones. A query must repeat
 * the index's condition word for word to use it. The long texts come last in a row: to reach a column after them, SQLite
 * reads all of their pages. Columns that were added later do come after them, so the indexes of frequent queries include
 * those columns.
 */
export const MIGRATIONS: readonly string[] = [
	`
	CREATE TABLE hosts (
		id TEXT PRIMARY KEY,
		profile TEXT NOT NULL,
		state TEXT NOT NULL CHECK (state IN ('starting', 'ready', 'closing', 'gone')),
		pid INTEGER,
		pid_started TEXT,
		socket TEXT NOT NULL,
		lease_until INTEGER NOT NULL,
		created_at INTEGER NOT NULL
	) STRICT;
	CREATE INDEX hosts_live ON hosts (profile, lease_until) WHERE state <> 'gone';

	CREATE TABLE sessions (
		id TEXT PRIMARY KEY,
		agent TEXT NOT NULL,
		cwd TEXT NOT NULL,
		file TEXT NOT NULL,
		definition TEXT NOT NULL,
		created_at INTEGER NOT NULL,
		archived_at INTEGER
	) STRICT;

	CREATE TABLE runs (
		seq INTEGER PRIMARY KEY,
		id TEXT NOT NULL UNIQUE,
		session_id TEXT NOT NULL REFERENCES sessions (id),
		parent_session TEXT NOT NULL,
		tool_call TEXT,
		mode TEXT NOT NULL CHECK (mode IN ('foreground', 'background')),
		agent TEXT NOT NULL,
		label TEXT,
		profile TEXT NOT NULL,
		lane_limit INTEGER NOT NULL,
		state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ended')),
		attempt INTEGER NOT NULL,
		max_attempts INTEGER NOT NULL,
		fence INTEGER NOT NULL,
		host_id TEXT,
		lease_until INTEGER,
		stop_at INTEGER,
		stop_by TEXT,
		created_at INTEGER NOT NULL,
		started_at INTEGER,
		ended_at INTEGER,
		delivery TEXT NOT NULL CHECK (delivery IN ('none', 'owed', 'delivered', 'skipped')),
		delivered_at INTEGER,
		deliverer TEXT,
		deliverer_until INTEGER,
		archive_at INTEGER,
		archived_at INTEGER,
		usage TEXT NOT NULL,
		plan TEXT NOT NULL,
		outcome TEXT,
		partial TEXT
	) STRICT;
	CREATE INDEX runs_queued ON runs (profile, mode, seq) WHERE state = 'queued';
	CREATE INDEX runs_over ON runs (seq) WHERE state = 'queued' AND (stop_at IS NOT NULL OR attempt >= max_attempts);
	CREATE INDEX runs_running ON runs (host_id, lease_until) WHERE state = 'running';
	CREATE INDEX runs_at_work ON runs (parent_session) WHERE state = 'running';
	CREATE INDEX runs_open ON runs (session_id, seq) WHERE state <> 'ended';
	CREATE INDEX runs_of_session ON runs (session_id, seq);
	CREATE INDEX runs_of_parent ON runs (parent_session, seq);
	CREATE INDEX runs_owed ON runs (parent_session, seq) WHERE delivery = 'owed';
	CREATE INDEX runs_open_of_parent ON runs (parent_session, seq) WHERE state <> 'ended';
	CREATE INDEX runs_to_archive ON runs (archive_at) WHERE archive_at IS NOT NULL AND archived_at IS NULL;
	CREATE INDEX runs_ended ON runs (ended_at) WHERE state = 'ended';

	CREATE TABLE inbox (
		seq INTEGER PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs (id),
		body TEXT NOT NULL,
		created_at INTEGER NOT NULL,
		taken_at INTEGER
	) STRICT;
	CREATE INDEX inbox_of_run ON inbox (run_id, seq);

	CREATE TABLE chores (
		name TEXT PRIMARY KEY,
		done_at INTEGER NOT NULL
	) STRICT;
	`,
	`
	ALTER TABLE hosts ADD COLUMN own_run TEXT;
	ALTER TABLE runs ADD COLUMN own_run TEXT;
	UPDATE OR IGNORE hosts SET profile = substr(profile, 1, instr(profile, ':') - 1),
		own_run = substr(profile, instr(profile, ':') + 1) WHERE instr(profile, ':') > 0;
	UPDATE OR IGNORE runs SET profile = substr(profile, 1, instr(profile, ':') - 1),
		own_run = substr(profile, instr(profile, ':') + 1) WHERE instr(profile, ':') > 0;
	DROP INDEX hosts_live;
	CREATE INDEX hosts_live ON hosts (profile, own_run, lease_until) WHERE state <> 'gone';
	DROP INDEX runs_queued;
	CREATE INDEX runs_queued ON runs (profile, own_run, mode, seq) WHERE state = 'queued';
	CREATE INDEX runs_open_profiles ON runs (parent_session, seq, own_run) WHERE state <> 'ended';
	`,
	`
	CREATE TABLE attempts (
		run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		number INTEGER NOT NULL,
		host_id TEXT NOT NULL,
		model TEXT,
		started_at INTEGER NOT NULL,
		ended_at INTEGER,
		cause TEXT,
		usage TEXT,
		PRIMARY KEY (run_id, number)
	) STRICT, WITHOUT ROWID;
	`,
	`
	ALTER TABLE runs ADD COLUMN hops TEXT;
	`,
	`
	ALTER TABLE runs ADD COLUMN stop_hook TEXT CHECK (stop_hook IN ('owed', 'begun', 'done'));
	CREATE INDEX runs_stop_hook ON runs (seq) WHERE stop_hook = 'owed';
	`,
	`
	CREATE TABLE questions (
		seq INTEGER PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		parent_session TEXT NOT NULL,
		state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'declined')),
		declined TEXT,
		created_at INTEGER NOT NULL,
		shower TEXT,
		shower_until INTEGER,
		closed_at INTEGER,
		taken_at INTEGER,
		question TEXT NOT NULL,
		answer TEXT
	) STRICT;
	CREATE INDEX questions_open ON questions (parent_session, seq) WHERE state = 'open';
	CREATE INDEX questions_of_run ON questions (run_id, seq);
	`,
	`
	CREATE TABLE trees (
		run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
		state TEXT NOT NULL CHECK (state IN ('making', 'ready', 'harvested', 'removed')),
		folder TEXT NOT NULL,
		cwd TEXT NOT NULL,
		created_at INTEGER NOT NULL,
		base TEXT,
		carried TEXT,
		warnings TEXT,
		problem TEXT
	) STRICT;
	CREATE INDEX trees_left ON trees (folder) WHERE state <> 'removed';

	CREATE TABLE changes (
		run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
		state TEXT NOT NULL CHECK (state IN ('pending', 'applying', 'applied', 'undoing', 'branched', 'discarded', 'superseded')),
		cwd TEXT NOT NULL,
		holder TEXT,
		branch TEXT,
		created_at INTEGER NOT NULL,
		content TEXT NOT NULL
	) STRICT;
	CREATE INDEX changes_held ON changes (run_id) WHERE holder IS NOT NULL;

	CREATE TABLE change_events (
		seq INTEGER PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
		what TEXT NOT NULL,
		by TEXT NOT NULL,
		at INTEGER NOT NULL
	) STRICT;
	CREATE INDEX change_events_of_run ON change_events (run_id, seq);
	`,
	`
	ALTER TABLE runs ADD COLUMN stop_command TEXT;
	`,
	`
	ALTER TABLE inbox ADD COLUMN sender TEXT;
	`,
	`
	ALTER TABLE runs ADD COLUMN away TEXT;
	DROP INDEX runs_at_work;
	CREATE INDEX runs_at_work ON runs (parent_session, profile) WHERE state = 'running';
	`,
];

/** Marks a database file as ours, so that a foreign one is not taken for an old ledger. */
export const APPLICATION_ID = 0x70696765; // "pige"
