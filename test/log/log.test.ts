import {
	appendFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { type LogRole, logTo } from "../../src/log/log.ts";
import { appendToLog, logFilesOf, rotateLog } from "../../src/log/log-file.ts";
import { readLogs } from "../../src/log/read-logs.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "geon-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = () => ({ parentLog: join(folder, "parent.log"), hosts: join(folder, "hosts") });
const redactor = createRedactor({ secrets: ["hunter2-hunter2"], homeDir: "/home/me" });

const logInto = (file: string, context: { role: LogRole; host?: string } = { role: "parent" }) =>
	logTo({
		context: { pid: 7, ...context },
		write: (line) => appendToLog(file, line),
		redact: (value) => redactor.redactValue(value),
	});

describe("a log", () => {
	test("is JSON lines with time, level, role, pid and what it is about, for the user alone", () => {
		const { parentLog } = places();
		logInto(parentLog).info("admitted", { runId: "0a1b2c3d", agent: "explorer", session: "s1" });
		expect(JSON.parse(readFileSync(parentLog, "utf8"))).toEqual({
			time: expect.stringMatching(/^\d{4}-.*Z$/),
			level: "info",
			role: "parent",
			pid: 7,
			message: "admitted",
			runId: "0a1b2c3d",
			agent: "explorer",
			session: "s1",
		});
		expect(statSync(parentLog).mode & 0o777).toBe(0o600);
	});

	test("holds no secret, wherever in a line it stood", () => {
		const { parentLog } = places();
		logInto(parentLog).error("failed", { error: new Error("with hunter2-hunter2"), deep: { in: ["hunter2-hunter2"] } });
		expect(readFileSync(parentLog, "utf8")).not.toContain("hunter2");
		expect(readFileSync(parentLog, "utf8")).toContain("Error: with");
	});

	test("never throws: not without its folder, not for what is not JSON", () => {
		writeFileSync(join(folder, "file"), "");
		const cycle: Record<string, unknown> = {};
		cycle.self = cycle;
		expect(() => logInto(join(folder, "file", "x", "parent.log")).info("lost")).not.toThrow();
		expect(() => logInto(places().parentLog).info("a cycle", { cycle, big: 1n })).not.toThrow();
	});

	describe("that is written late", () => {
		beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
		afterEach(() => void vi.useRealTimers());

		const scene = () => {
			const writes: string[] = [];
			const log = logTo({
				context: { role: "host", pid: 7 },
				write: (lines) => writes.push(lines),
				redact: (line) => redactor.redactValue(line),
				isWrittenLate: true,
			});
			const messages = () =>
				writes.map((lines) =>
					lines
						.trim()
						.split("\n")
						.map((line) => JSON.parse(line).message),
				);
			return { log, messages };
		};

		test("has its lines a moment later, all at once, with their own times", () => {
			const { log, messages } = scene();
			log.info("claimed");
			log.info("started");
			expect(messages()).toEqual([]);
			vi.advanceTimersByTime(1000);
			log.info("ended");
			vi.advanceTimersByTime(1000);
			expect(messages()).toEqual([["claimed", "started"], ["ended"]]);
		});

		test("has trouble at once, after what came before it", () => {
			const { log, messages } = scene();
			log.info("claimed");
			log.warn("asks the model again");
			log.error("work failed");
			expect(messages()).toEqual([["claimed", "asks the model again"], ["work failed"]]);
		});

		test("has all its lines when the process exits, without one that cannot be JSON", () => {
			const { log, messages } = scene();
			log.info("claimed");
			log.info("not JSON", { big: 1n });
			log.info("started");
			const [writeAll] = process.listeners("exit").slice(-1);
			writeAll?.(0);
			expect(messages()).toEqual([["claimed", "started"]]);
		});

		test("listens to the exit of its process only while lines wait, since pi loads its extensions again and again", () => {
			const before = process.listenerCount("exit");
			const { log } = scene();
			expect(process.listenerCount("exit")).toBe(before);
			log.info("claimed");
			log.info("started");
			expect(process.listenerCount("exit")).toBe(before + 1);
			vi.advanceTimersByTime(1000);
			expect(process.listenerCount("exit")).toBe(before);
			log.warn("asks the model again");
			expect(process.listenerCount("exit")).toBe(before);
		});
	});

	test("is set aside when it is large, and never takes more than its bounds", () => {
		const { parentLog } = places();
		const line = `${"x".repeat(1023)}\n`;
		for (let count = 0; count < 5 * 1024; count++) appendToLog(parentLog, line);
		const files = logFilesOf(parentLog);
		expect(files.every((file) => existsSync(file))).toBe(true);
		expect(existsSync(`${parentLog}.3`)).toBe(false);
		for (const file of files) {
			expect(statSync(file).size).toBeLessThanOrEqual(1024 * 1024 + line.length);
			expect(statSync(file).mode & 0o777).toBe(0o600);
		}
	});

	test("that is a process's standard error continues in the same file after a rotation", () => {
		const file = join(folder, "0a1b2c3d.log");
		const stderr = openSync(file, "a", 0o600);
		writeSync(stderr, "y".repeat(1024 * 1024));
		rotateLog(file);
		writeSync(stderr, "after\n");
		expect(readFileSync(file, "utf8")).toBe("after\n");
		expect(statSync(`${file}.1`).size).toBe(1024 * 1024);
	});
});

describe("reading logs", () => {
	const write = (file: string, ...lines: unknown[]) => {
		mkdirSync(join(folder, "hosts"), { recursive: true });
		for (const line of lines)
			appendFileSync(file, typeof line === "string" ? `${line}\n` : `${JSON.stringify(line)}\n`);
	};
	const at = (second: number) => new Date(second * 1000).toISOString();
	const line = (second: number, message: string, more: object = {}) => ({
		...{ time: at(second), level: "info", role: "parent", pid: 1, message },
		...more,
	});

	test("merges the logs of all processes by time, those that were set aside included", () => {
		const { parentLog, hosts } = places();
		write(`${parentLog}.1`, line(1, "one"));
		write(parentLog, line(4, "four"));
		write(join(hosts, "aaaaaaaa.log"), line(2, "two", { role: "host" }));
		write(join(hosts, "bbbbbbbb.log"), line(3, "three", { role: "host" }));
		expect(readLogs(places()).map(({ message }) => message)).toEqual(["one", "two", "three", "four"]);
	});

	test("broken lines hide no other, and what was printed besides is shown with its host", () => {
		const { hosts } = places();
		const log = join(hosts, "aaaaaaaa.log");
		write(
			log,
			line(1, "ready", { role: "host" }),
			'{"time": "20',
			"TypeError: out of the blue",
			'{"type":"session"}',
			"null",
		);
		write(log, line(2, "leaving", { role: "host" }));
		const read = readLogs(places());
		expect(read.map(({ message }) => message)).toEqual([
			"ready",
			'{"time": "20',
			"TypeError: out of the blue",
			"null",
			"leaving",
		]);
		expect(read[2]).toMatchObject({ level: "warn", role: "host", host: "aaaaaaaa", time: at(1) });
	});

	test("is filtered by run, by agent (also on lines that do not name it), by level, and limited", () => {
		const { parentLog } = places();
		write(
			parentLog,
			line(1, "admitted", { runId: "11111111", agent: "explorer" }),
			line(2, "admitted", { runId: "22222222", agent: "tester" }),
			line(3, "announced", { runId: "11111111" }),
			line(4, "trouble", { level: "error" }),
		);
		const seconds = (filter: Parameters<typeof readLogs>[1]) =>
			readLogs(places(), filter).map(({ time }) => Date.parse(time) / 1000);
		expect(seconds({ run: "1111" })).toEqual([1, 3]);
		expect(seconds({ agent: "explorer" })).toEqual([1, 3]);
		expect(seconds({ level: "warn" })).toEqual([4]);
		expect(seconds({ limit: 2 })).toEqual([3, 4]);
	});

	test("of nothing is nothing", () => {
		expect(readLogs(places())).toEqual([]);
	});
});
