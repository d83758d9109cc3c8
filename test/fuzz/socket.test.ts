import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { processStart } from "../../src/processes/process-start.ts";
import { delegateTo, finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import fc from "../helpers/fast-check.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { startRpc, summarize } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { seeded } from "./bytes.ts";

const openHome = useHome();

const anyValue = fc.oneof(fc.jsonValue(), fc.constantFrom(null, "", 0, -1, 1e308, [], {}, "__proto__", true));
const anyMessage = (types: string[], runId: string) =>
	fc.record(
		{
			type: fc.oneof(fc.constantFrom(...types), anyValue),
			runId: fc.oneof(fc.constant(runId), anyValue),
			askId: fc.oneof(fc.nat(5), anyValue),
			answer: anyValue,
			question: fc.oneof(
				anyValue,
				fc.record({ kind: fc.constantFrom("confirm", "select", "input"), title: anyValue, options: anyValue }),
			),
			progress: fc.oneof(
				anyValue,
				fc.record({ displayItems: anyValue, usage: anyValue, turnCount: anyValue }, { requiredKeys: [] }),
				fc.record({ displayItems: fc.array(anyValue), usage: fc.constant({}), turnCount: fc.constant(1) }),
			),
		},
		{ requiredKeys: ["type"] },
	);
const sampled = <Value>(values: fc.Arbitrary<Value>, count: number): Value[] =>
	fc.sample(values, { seed: seeded(0).seed, numRuns: count });

/** JSON that is not a message, whatever it looks like. */
const STRANGE = [
	"null",
	"5",
	'"wake"',
	"[]",
	'[{"type":"wake"}]',
	"{}",
	'{"type":null}',
	'{"__proto__":{"type":"watch"},"type":"watch"}',
	'{"constructor":{"prototype":{"polluted":1}},"type":"wake"}',
	`{"type":${"[".repeat(5000)}${"]".repeat(5000)}}`,
];
/** What is not JSON: whoever says it is cut off. */
const GARBAGE = [
	"garbage\n",
	"\n",
	"\0\0\0\n",
	"\x80\xff\xfe\n",
	"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	'{"type":"wake"\n',
	"{}{}\n",
	"[".repeat(100_000),
];

/** Says something and hangs up; resolves when the other side has seen it. */
async function say(path: string, bytes: string | Buffer, { abruptly = false } = {}): Promise<void> {
	const { socket, closed } = await cutOffAtWill(path);
	await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
	if (abruptly) socket.destroy();
	else socket.end();
	await closed;
}

/** A connection that the host may close while we speak. */
async function cutOffAtWill(path: string): Promise<{ socket: Socket; closed: Promise<void> }> {
	const socket = await dial(path);
	socket.on("error", () => {}); // "close" follows.
	const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
	return { socket: socket.resume(), closed };
}

/** Tries again while the line before the socket is full. */
async function dial(path: string): Promise<Socket> {
	for (;;) {
		const socket = connect(path);
		try {
			await once(socket, "connect");
			return socket;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
			await sleep(20);
		}
	}
}

const asLines = (messages: unknown[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

describe.skipIf(process.platform === "win32")("whatever is said to a host", () => {
	test("it lives on, its runs continue, and their answers arrive", async () => {
		const proceed = gate();
		const home = await openHome({
			script: dispatch({
				parent: [delegateTo("explorer", "Look."), text("Done.")],
				child: async () => {
					await proceed.opened;
					return finalize("Seen.");
				},
			}),
		});
		const rpc = startRpc(home);
		await rpc.prompt("Go");
		await home.model.waitFor((request) => request.isChild);
		const [host] = inLedger<{ socket: string }>(home, "SELECT socket FROM hosts WHERE state = 'ready'");
		const [run] = inLedger<{ id: string }>(home, "SELECT id FROM runs");
		const path = host?.socket ?? "";
		const pids = hostPids(home);

		for (const garbage of GARBAGE) await say(path, garbage);
		await say(path, `${STRANGE.join("\n")}\n`);
		const messages = sampled(anyMessage(["wake", "watch", "answer", "pass"], run?.id ?? ""), 400);
		await say(path, asLines(messages));
		for (const half of sampled(fc.uint8Array({ maxLength: 200 }), 40))
			await say(path, Buffer.from(half), { abruptly: true });
		await say(path, asLines(messages).slice(0, 777), { abruptly: true });
		expect(await bytesUntilCutOff(path)).toBeLessThan(64 * 1024 * 1024);
		await say(path, '{"type":"wake"}\n'.repeat(50_000));

		const crowd: Socket[] = [];
		while (crowd.length < 2000) crowd.push(...(await Promise.all(Array.from({ length: 200 }, () => dial(path)))));
		for (const socket of crowd) socket.write(asLines([{ type: "watch", runId: run?.id }])); // And never reads.
		proceed.open();
		await rpc.waitForEvent((event) => event.type === "agent_settled");
		for (const socket of crowd) socket.destroy();

		expect(hostPids(home)).toEqual(pids);
		const [result] = summarize(rpc.events).toolResults;
		expect(result?.details).toMatchObject({ finalized: { result: "Seen." }, results: [{ exitCode: 0, attempts: 1 }] });
		await rpc.close();
	});
});

/** Sends a line without an end. Answers how much of it was taken before the connection was closed. */
async function bytesUntilCutOff(path: string): Promise<number> {
	const { socket, closed } = await cutOffAtWill(path);
	const part = Buffer.alloc(256 * 1024, 0x78);
	let sent = 0;
	while (!socket.destroyed && sent < 80 * 1024 * 1024) {
		sent += part.length;
		await Promise.race([new Promise((written) => socket.write(part, written)), closed]);
	}
	socket.destroy();
	return sent;
}

describe.skipIf(process.platform === "win32")("whatever a host says", () => {
	test("its parent lives on, shows nothing of it, and finds another host", async () => {
		const home = await openHome({
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) =>
					lastMessage?.role === "tool" ? text("Done.") : delegateTo("explorer", lastUserText),
				child: ({ firstUserText }) => finalize(`Answer to ${firstUserText}`),
			}),
		});
		const rpc = startRpc(home);
		await rpc.promptAndSettle("One");
		const host = await impostor(home);
		const asked = rpc.events.length;
		await rpc.prompt("Two");
		await host.everythingSaid;
		await host.leave();
		await rpc.waitForEvent((event) => event.type === "agent_settled", { from: asked });

		const { toolResults, partials } = summarize(rpc.events.slice(asked));
		expect(toolResults).toMatchObject([
			{ details: { finalized: { result: "Answer to Two" }, results: [{ attempts: 1 }] } },
		]);
		// Nothing of all that was said but what had the right shape.
		expect(partials.map(({ text: shown }) => shown)).toContain("a proper one");
		expect(JSON.stringify(partials)).not.toContain("polluted");
		const dialogs = rpc.events.filter(({ type, method }) => type === "extension_ui_request" && method !== "notify");
		for (const { title } of dialogs) expect(title).toMatch(/^\[explorer /); // What happens to fit is asked, with its label.
		expect(dialogs.length).toBeLessThan(5);
		expect(rpc.stderr).not.toMatch(/TypeError|Uncaught|unhandled/i);
		await rpc.close();
	});
});

/** Takes the place of a home's host once the real one has left. */
async function impostor(home: Home) {
	await eventually(() => expect(inLedger(home, "SELECT id FROM hosts WHERE state <> 'gone'")).toEqual([]));
	const [real] = inLedger<{ profile: string }>(home, "SELECT profile FROM hosts");
	const socketPath = join(home.scratch, "impostor");
	const said = gate();
	/** One for each connection: what is not JSON ends it, and the parent comes back. */
	const speeches = [
		(runId: string) =>
			`${STRANGE.join("\n")}\n${asLines(sampled(anyMessage(["progress", "started", "ended", "ask", "withdrawn"], runId), 400))}garbage\n`,
		(runId: string) =>
			`${asLines([proper(runId), { type: "progress", runId }, { type: "progress", runId, progress: null }])}\0\n`,
		() => "x".repeat(5 * 1024 * 1024),
	];
	const connections = new Set<Socket>();
	const server = createServer((socket) => {
		connections.add(socket);
		socket.on("error", () => {}); // The parent cuts us off: it may.
		socket.setEncoding("utf8").on("data", (line: string) => {
			const runId = /"runId":"([0-9a-f]{8})"/.exec(line)?.[1];
			if (runId === undefined) return;
			const speech = speeches.shift();
			if (speech) socket.write(speech(runId));
			else said.open();
		});
	});
	server.listen(socketPath);
	await once(server, "listening");
	inLedger(
		home,
		"INSERT INTO hosts (id, profile, state, pid, pid_started, socket, lease_until, created_at) VALUES ('f00df00d', ?, 'ready', ?, ?, ?, ?, 0)",
		real?.profile ?? "",
		process.pid,
		processStart(process.pid) ?? "",
		socketPath,
		Date.now() + 600_000,
	);
	return {
		everythingSaid: said.opened,
		async leave() {
			inLedger(home, "UPDATE hosts SET state = 'gone', lease_until = 0 WHERE id = 'f00df00d'");
			for (const socket of connections) socket.destroy();
			server.close();
		},
	};
}

const proper = (runId: string) => ({
	type: "progress",
	runId,
	progress: { displayItems: [{ type: "text", text: "a proper one" }], usage: {}, turnCount: 1 },
});
