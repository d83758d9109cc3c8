/**
 * Preloaded into every pi of a workload (`NODE_OPTIONS=--import`), parents and hosts alike: the product itself knows
 * nothing of it. It stands before and after every ledger write, every message over a host's socket and every append to a
 * session file, counts these points, and does to its own process what the plan says: kill, suspend, cut off. Or it puts the
 * whole machine into trouble from there on, for a while.
 *
 * The folder in PI_GEON_FAULTS holds `plan.json`, says who has been started so far (`<role>.<n>`), and gets
 * `faults.jsonl` (each fault before it happens), `appends.jsonl` (who wrote what into which session file) and
 * `processes.jsonl`, and `trouble.jsonl`, which says what the disk is in trouble with. A file `calm` in it ends all mischief.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { basename, join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { meetTrouble } from "./trouble.mjs";

const folder = process.env.PI_GEON_FAULTS;
const role = roleOf(process.argv);
if (folder && role && isMainThread) inject(folder, role);

/** A parent is named after its session file; other programs that inherit our environment are left alone. */
function roleOf(argv) {
	const session = argv[argv.indexOf("--session") + 1];
	if (argv.includes("rpc") && argv.includes("--session")) return basename(session, ".jsonl");
	return process.env.PI_SUBAGENT_CHILD === "1" && argv.includes("--no-session") ? "host" : undefined;
}

function inject(folder, role) {
	// Kept from before anything is replaced, so that our own notes are no points, and never in trouble.
	const noting = fs.appendFileSync;
	const note = (file, facts) => noting(join(folder, file), `${JSON.stringify(facts)}\n`);
	meetTrouble(join(folder, "trouble.jsonl"));
	const { appendFileSync, existsSync, openSync, closeSync, readFileSync, writeFileSync, writeSync } = fs;
	const incarnation = nextIncarnation();
	const plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
	const armed = (plan.processes[role]?.[incarnation] ?? []).map((fault) => ({ ...fault, seen: 0 }));
	const sockets = new Set();
	let points = 0;
	note("processes.jsonl", { role, incarnation, pid: process.pid, at: Date.now() });
	watchLedger();
	watchSockets();
	watchSessionFiles();
	nameProcessToModel();
	syncBuiltinESMExports();

	function nextIncarnation() {
		for (let n = 0; ; n++) {
			try {
				closeSync(openSync(join(folder, `${role}.${n}`), "wx"));
				return n;
			} catch (error) {
				if (error.code !== "EEXIST") throw error;
			}
		}
	}

	/** We are at a point. `tear` leaves behind what a process that dies in the middle of this would. */
	function reach(places, when, tear) {
		points++;
		for (const fault of armed) {
			const here =
				fault.point === undefined
					? places.includes(fault.place) && fault.when === when && ++fault.seen === fault.nth
					: fault.point === points;
			if (here) commit(fault, { place: fault.place ?? places.at(-1), when }, tear);
		}
	}

	function commit({ kind, forMs }, where, tear) {
		if (existsSync(join(folder, "calm")) || done() >= plan.atMost) return;
		const facts = { role, incarnation, pid: process.pid, point: points, ...where, kind, at: Date.now() };
		note("faults.jsonl", forMs === undefined ? facts : { ...facts, forMs });
		if (kind === "torn") tear?.();
		if (kind === "torn" || kind === "kill") process.kill(process.pid, "SIGKILL");
		// Whoever wrote the plan reads of it, and wakes us up.
		if (kind === "suspend") process.kill(process.pid, "SIGSTOP");
		if (kind === "disconnect") for (const socket of sockets) socket.destroy();
		// A lock is held by whoever reads of it: this process could not continue with it.
		const trouble = plan.troubles[kind];
		if (trouble) note("trouble.jsonl", { ...trouble, until: facts.at + forMs });
	}

	function done() {
		const log = join(folder, "faults.jsonl");
		return existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
	}

	function watchLedger() {
		const { exec } = DatabaseSync.prototype;
		const { run, get } = StatementSync.prototype;
		let written = [];
		DatabaseSync.prototype.exec = function (sql) {
			if (sql.startsWith("BEGIN")) written = [];
			if (sql !== "COMMIT" || written.length === 0) return exec.call(this, sql);
			reach(written, "before commit");
			exec.call(this, sql);
			reach(written, "after commit");
		};
		const beforeWrite = (statement, values) => {
			const place = writeOf(statement.sourceSQL, values);
			if (place === undefined) return;
			written.push(place);
			reach([place], "before write");
		};
		StatementSync.prototype.run = function (...values) {
			beforeWrite(this, values);
			return run.apply(this, values);
		};
		StatementSync.prototype.get = function (...values) {
			beforeWrite(this, values);
			return get.apply(this, values);
		};
	}

	function watchSockets() {
		const { write, on } = net.Socket.prototype;
		net.Socket.prototype.write = function (chunk, ...rest) {
			const type = this === process.stdout ? undefined : messageType(chunk);
			if (type === undefined) return write.call(this, chunk, ...rest);
			sockets.add(this);
			reach([`send ${type}`], "before");
			const flushed = write.call(this, chunk, ...rest);
			reach([`send ${type}`], "after");
			return flushed;
		};
		net.Socket.prototype.on = function (event, listener) {
			// Our protocol sets an encoding; those of HTTP do not, and take their listeners away again.
			if (event !== "data" || this.readableEncoding === null) return on.call(this, event, listener);
			sockets.add(this);
			return on.call(this, event, (chunk) => {
				const type = messageType(chunk);
				if (type !== undefined) reach([`receive ${type}`], "before");
				listener.call(this, chunk);
				if (type !== undefined) reach([`receive ${type}`], "after");
			});
		};
	}

	function watchSessionFiles() {
		const opened = new Map();
		// Node's functions for whole files use those for descriptors: one append is one point.
		let within = false;
		const sessionFile = (target) => {
			const path = typeof target === "number" ? opened.get(target) : String(target);
			return /\.jsonl(\.new)?$/.test(path ?? "") && !path.startsWith(folder) ? path : undefined;
		};
		const around = (target, data, write, writePart) => {
			const path = sessionFile(target);
			if (within || path === undefined || typeof data !== "string") return write();
			within = true;
			try {
				return attended(path, data, write, writePart);
			} finally {
				within = false;
			}
		};
		const attended = (path, data, write, writePart) => {
			const entry = entryOf(data);
			const place = placeOf(path, entry);
			reach([place], "before", () => writePart(data.slice(0, Math.ceil(data.length / 2))));
			const result = write();
			note("appends.jsonl", { pid: process.pid, file: path, entry: entry?.id, at: Date.now() });
			reach([place], "after");
			return result;
		};
		fs.openSync = (path, ...rest) => {
			const descriptor = openSync(path, ...rest);
			if (String(path).endsWith(".jsonl")) opened.set(descriptor, String(path));
			return descriptor;
		};
		fs.closeSync = (descriptor) => {
			opened.delete(descriptor);
			return closeSync(descriptor);
		};
		fs.appendFileSync = (target, data, ...rest) =>
			around(
				target,
				data,
				() => appendFileSync(target, data, ...rest),
				(part) => appendFileSync(target, part),
			);
		fs.writeFileSync = (target, data, ...rest) =>
			around(
				target,
				data,
				() => writeFileSync(target, data, ...rest),
				(part) => writeFileSync(target, part, ...rest),
			);
		fs.writeSync = (target, data, ...rest) =>
			around(
				target,
				data,
				() => writeSync(target, data, ...rest),
				(part) => writeSync(target, part),
			);
	}

	/** So that the model's log tells which process asked. */
	function nameProcessToModel() {
		const { fetch } = globalThis;
		globalThis.fetch = (input, options = {}) => {
			const headers = new Headers(options.headers ?? (input instanceof Request ? input.headers : undefined));
			headers.set("x-fault-pid", String(process.pid));
			return fetch(input, { ...options, headers });
		};
	}
}

/** What a statement writes, in the words of the story; undefined for one that only reads. */
function writeOf(sql, values) {
	const text = sql.replace(/\s+/g, " ").trim();
	if (!/^(INSERT|UPDATE|DELETE)/.test(text)) return undefined;
	// An ended run keeps its state when its debt is settled.
	if (text.startsWith("UPDATE runs SET state")) {
		const settled = values.find((value) => value === "delivered" || value === "skipped");
		return `run ${settled ?? values[0]}`;
	}
	return NAMES.find(([start]) => text.startsWith(start))?.[1] ?? text.split(" ").slice(0, 4).join(" ");
}

const NAMES = [
	["INSERT INTO runs", "run admitted"],
	["INSERT INTO sessions", "session"],
	["INSERT INTO hosts", "host reserved"],
	["INSERT INTO inbox", "message sent"],
	["UPDATE inbox SET run_id", "message moved"],
	["UPDATE inbox", "message taken"],
	["INSERT INTO attempts", "attempt begun"],
	["UPDATE attempts SET model", "model"],
	["UPDATE attempts", "attempt over"],
	["UPDATE hosts SET state = 'ready'", "host ready"],
	["UPDATE hosts SET state = 'gone'", "host gone"],
	["UPDATE hosts SET lease_until", "lease"],
	["UPDATE runs SET lease_until", "lease"],
	["UPDATE runs SET usage", "turn"],
	["UPDATE runs SET deliverer", "deliverer"],
	["UPDATE runs SET profile", "adoption"],
	["UPDATE runs SET own_run", "own host"],
	["UPDATE runs SET archive", "archive"],
];

const MESSAGE = /^\{"type":"(wake|watch|answer|pass|progress|started|ended|ask|withdrawn)"/;
const messageType = (chunk) => (typeof chunk === "string" ? MESSAGE.exec(chunk)?.[1] : undefined);

function entryOf(line) {
	try {
		return JSON.parse(line);
	} catch {
		return undefined; // A line break alone: pi fixes a file whose last line was torn.
	}
}

function placeOf(path, entry) {
	const whose = path.includes("subagent-sessions") ? "child" : "parent";
	const what = entry?.message?.role ?? entry?.customType?.replace("pi-geon:", "") ?? entry?.type ?? "mending";
	return `append ${whose} ${what}`;
}
