/**
 * A disk in trouble, for any user and on any system. Preloaded into every pi (`NODE_OPTIONS=--import`), it makes Node's own
 * functions fail as the system would, as long as a line of the file in PI_GEON_TROUBLE says so:
 *
 *   { code: "ENOSPC" | "EACCES", below: [folder, …], until: milliseconds since 1970 }
 *
 * ENOSPC: nothing is added to a file, no file is made, and SQLite says that the disk is full. EACCES: nothing is opened for
 * writing, made, renamed or removed; what is open already can be written.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { sep } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";

const SQLITE_FULL = 13;
const WORDS = { ENOSPC: "no space left on device", EACCES: "permission denied" };
const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT } = fs.constants;

const file = process.env.PI_GEON_TROUBLE;
if (file) meetTrouble(file);

/** Before others replace the same functions: what they call is then in trouble too. */
export function meetTrouble(file) {
	const { existsSync, readFileSync } = fs;
	const paths = new Map();
	/** The database files that are open: SQLite writes them itself. */
	const databases = new WeakMap();

	const troubles = () => {
		try {
			const now = Date.now();
			const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
			return lines.map((line) => JSON.parse(line)).filter(({ until }) => now < until);
		} catch (error) {
			if (error.code === "ENOENT") return [];
			throw error;
		}
	};
	const isIn = (code, path) =>
		troubles().some((one) => one.code === code && one.below.some((folder) => `${path}${sep}`.startsWith(folder + sep)));
	const fail = (code, syscall, path) => {
		throw Object.assign(new Error(`${code}: ${WORDS[code]}, ${syscall} '${path}'`), { code, syscall, path });
	};
	/** A name is made, changed or removed in its folder. */
	const refuseNew = (syscall, path, { adds = true } = {}) => {
		if (isIn("EACCES", path)) fail("EACCES", syscall, path);
		if (adds && isIn("ENOSPC", path)) fail("ENOSPC", syscall, path);
	};
	const refuseData = (syscall, target) => {
		const path = typeof target === "number" ? paths.get(target) : String(target);
		if (path !== undefined && isIn("ENOSPC", path)) fail("ENOSPC", syscall, path);
	};

	const { openSync, closeSync, writeSync, writeFileSync, appendFileSync, mkdirSync, renameSync } = fs;
	const { rmSync, unlinkSync, copyFileSync, accessSync, statfsSync, chmodSync } = fs;
	fs.openSync = (path, flags = "r", ...rest) => {
		const writes =
			typeof flags === "number" ? (flags & (O_WRONLY | O_RDWR)) !== O_RDONLY : flags !== "r" && flags !== "rs";
		const makes = typeof flags === "number" ? (flags & O_CREAT) !== 0 : /^[aw]/.test(flags);
		if (writes) refuseNew("open", String(path), { adds: makes && !existsSync(path) });
		const descriptor = openSync(path, flags, ...rest);
		if (writes) paths.set(descriptor, String(path));
		return descriptor;
	};
	fs.closeSync = (descriptor) => {
		paths.delete(descriptor);
		return closeSync(descriptor);
	};
	fs.writeSync = (descriptor, ...rest) => {
		refuseData("write", descriptor);
		return writeSync(descriptor, ...rest);
	};
	for (const [name, write] of Object.entries({ writeFileSync, appendFileSync })) {
		fs[name] = (target, ...rest) => {
			if (typeof target !== "number") refuseNew("open", String(target), { adds: !existsSync(target) });
			refuseData("write", target);
			return write(target, ...rest);
		};
	}
	fs.mkdirSync = (path, ...rest) => {
		if (!existsSync(path)) refuseNew("mkdir", String(path));
		return mkdirSync(path, ...rest);
	};
	fs.renameSync = (from, to) => {
		refuseNew("rename", String(to), { adds: false });
		return renameSync(from, to);
	};
	fs.copyFileSync = (from, to, ...rest) => {
		refuseNew("copyfile", String(to));
		return copyFileSync(from, to, ...rest);
	};
	for (const [name, remove] of Object.entries({ rmSync, unlinkSync })) {
		fs[name] = (path, ...rest) => {
			if (existsSync(path)) refuseNew("unlink", String(path), { adds: false });
			return remove(path, ...rest);
		};
	}
	fs.chmodSync = (path, ...rest) => {
		refuseNew("chmod", String(path), { adds: false });
		return chmodSync(path, ...rest);
	};
	fs.accessSync = (path, mode = fs.constants.F_OK) => {
		if (mode & fs.constants.W_OK) refuseNew("access", String(path), { adds: false });
		return accessSync(path, mode);
	};
	fs.statfsSync = (path, ...rest) => {
		const found = statfsSync(path, ...rest);
		return isIn("ENOSPC", String(path)) ? Object.assign(found, { bavail: 0, bfree: 0 }) : found;
	};

	const { listen } = net.Server.prototype;
	net.Server.prototype.listen = function (path, ...rest) {
		try {
			if (typeof path === "string") refuseNew("listen", path);
		} catch (error) {
			process.nextTick(() => this.emit("error", error));
			return this;
		}
		return listen.call(this, path, ...rest);
	};

	const { exec, prepare } = DatabaseSync.prototype;
	const refuseRow = (database) => {
		if (!isIn("ENOSPC", database.location() ?? "")) return;
		const facts = { code: "ERR_SQLITE_ERROR", errcode: SQLITE_FULL };
		throw Object.assign(new Error("database or disk is full"), facts);
	};
	DatabaseSync.prototype.exec = function (sql) {
		if (sql === "COMMIT") refuseRow(this);
		return exec.call(this, sql);
	};
	DatabaseSync.prototype.prepare = function (sql) {
		const statement = prepare.call(this, sql);
		databases.set(statement, this);
		return statement;
	};
	for (const name of ["run", "get", "all"]) {
		const call = StatementSync.prototype[name];
		StatementSync.prototype[name] = function (...values) {
			const database = databases.get(this);
			// Inside of a transaction it is the commit that finds no room.
			if (database && !database.isTransaction && /^\s*(INSERT|UPDATE|DELETE)/.test(this.sourceSQL)) refuseRow(database);
			return call.apply(this, values);
		};
	}
	syncBuiltinESMExports();
}
