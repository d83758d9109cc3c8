import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finalize } from "../../e2e/child.ts";
import { eventually, inLedger } from "../../e2e/ledger-of.ts";
import { gate } from "../../helpers/gate.ts";
import type { Home } from "../../helpers/home.ts";
import { type ScriptedModel, startModel } from "../../helpers/model.ts";
import { text, toolCall } from "../../helpers/model-steps.ts";
import { startRpc } from "../../helpers/pi.ts";
import { useHome } from "../../helpers/use-home.ts";
import { Network } from "../faults/proxy.ts";
import { announcesIn, commitProject, POOL_CONFIG, POOL_VARIABLE, sessionFileOf, startWorker } from "../machines.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { type CabledMachine, type Cables, layCables, socketTo } from "./namespaces.ts";

/** Only root can make namespaces with cables. For others, a proxy falls silent between the worker and the database. */
const hasCables = process.platform === "linux" && process.getuid?.() === 0;

const openHome = useHome();
let server: PostgresServer;
let folder = "";

beforeAll(async () => {
	server = await startPostgres();
	folder = await mkdtemp(join(tmpdir(), "pg-cable-"));
});
afterAll(async () => {
	await server.stop();
	await rm(folder, { recursive: true, force: true });
});

/** A machine whose cable can be pulled, and the addresses of the database and the model as it sees them. */
interface Machine extends CabledMachine {
	url: string;
	baseUrl: string;
}

/** Closes in the end what it opened for its machines. */
async function network(url: string, model: ScriptedModel) {
	const modelPort = Number(new URL(model.baseUrl).port);
	const closing: (() => Promise<unknown>)[] = [];
	let cables: Cables | undefined;
	async function machine(): Promise<Machine> {
		if (!hasCables) {
			const proxy = await new Network(server.port).open();
			closing.push(() => proxy.close());
			const through = new URL(url);
			through.port = String(proxy.port);
			const [cut, plugIn] = [() => proxy.hang(), () => proxy.clear()];
			return { prefix: [], address: "127.0.0.1", cut, plugIn, url: through.href, baseUrl: model.baseUrl };
		}
		if (!cables) {
			const ports = [await socketTo(server.port, folder), await socketTo(modelPort, folder)];
			for (const { server: socket } of ports) closing.push(() => closed(socket));
			cables = await layCables({ [server.port]: ports[0]?.path ?? "", [modelPort]: ports[1]?.path ?? "" });
			closing.unshift(cables.close);
		}
		const cabled = await cables.machine();
		const there = (address: string) => address.replace("127.0.0.1", cabled.address);
		return { ...cabled, url: there(url), baseUrl: there(model.baseUrl) };
	}
	/** Once, however often a home is closed. */
	async function close(): Promise<void> {
		for (const closeOne of closing.splice(0)) await closeOne();
	}
	return { machine, close };
}

const closed = (socket: Server) => new Promise<void>((resolve) => socket.close(() => resolve()));

async function setUp() {
	const url = await server.newDatabase();
	const second = gate();
	const model = await startModel(async ({ isChild, messages, lastUserText }) => {
		if (!isChild) {
			const isTask = messages.at(-1)?.role === "user" && lastUserText === "spawn";
			return isTask ? toolCall("sessions_spawn", { task: "Read.", agent: "explorer", pool: "team" }) : text("Heard.");
		}
		if (!messages.some(({ role }) => role === "tool")) return toolCall("read", { path: "NOTE.txt" });
		await second.opened;
		return finalize(`Read ${JSON.stringify(messages).includes("the note of A") ? "the note" : "nothing"}.`);
	});
	const net = await network(url, model);
	const a = await openHome({
		model,
		config: POOL_CONFIG,
		env: { [POOL_VARIABLE]: url },
		files: { "NOTE.txt": "the note of A\n" },
	});
	commitProject(a.project);
	a.closers.add(async () => {
		await net.close();
		await model.close();
	});
	const worker = async () => {
		const machine = await net.machine();
		const home = await openHome({ model, config: POOL_CONFIG, env: { [POOL_VARIABLE]: machine.url } });
		pointModelTo(home, machine.baseUrl);
		return { machine, worker: await startWorker(home, { prefix: machine.prefix }) };
	};
	return { a, model, second, worker };
}

function pointModelTo(home: Home, baseUrl: string): void {
	const file = join(home.agentDir, "models.json");
	writeFileSync(file, readFileSync(file, "utf8").replace(/http:\/\/127\.0\.0\.1:\d+\/v1/, baseUrl));
}

/** Its child has read the note, and this machine knows. */
async function untilRead(a: Home, model: ScriptedModel): Promise<void> {
	await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
	const [{ file = "" } = {}] = inLedger<{ file: string }>(a, "SELECT file FROM sessions");
	await eventually(() => expect(readFileSync(file, "utf8")).toContain('"role":"toolResult"'));
}

describe(`a cable is pulled in the middle of a run (${hasCables ? "network namespaces" : "a silent proxy"})`, () => {
	test("another worker takes over, the first one stops its child, and there is one report", async () => {
		const { a, model, second, worker } = await setUp();
		const b = await worker();
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn");
		const file = await sessionFileOf(rpc);
		await untilRead(a, model);
		const c = await worker();
		const asked = model.requests.length;
		b.machine.cut();
		await model.waitFor((request) => request.isChild && model.requests.indexOf(request) >= asked);
		second.open();
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toMatch(/Status: success[\s\S]*Read the note\./);
		expect(announcesIn(file)[0]?.content).toContain(`Taken over by ${c.worker.name}`);
		await eventually(() => expect(b.worker.said()).toMatch(/Pool team cannot be reached: .*Trying again\./));
		b.machine.plugIn();
		await eventually(() => expect(b.worker.said()).toContain("Pool team can be reached again."));
		// Back on the network, it has nothing to add.
		await eventually(() => {
			const [run] = inLedger<{ outcome: string | null }>(b.worker.home, "SELECT outcome FROM runs");
			expect(JSON.parse(run?.outcome ?? "{}")).toMatchObject({ cause: "stopped" });
		});
		const [{ outcome = "{}" } = {}] = inLedger<{ outcome: string }>(a, "SELECT outcome FROM runs");
		expect(JSON.parse(outcome)).toMatchObject({ status: "success", attempts: 2 });
		await b.worker.leave();
		await c.worker.leave();
		expect(announcesIn(file)).toHaveLength(1);
		await rpc.close();
	});

	test("without another worker the run waits, and continues where the first one is plugged in again", async () => {
		const { a, model, second, worker } = await setUp();
		const b = await worker();
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn");
		const file = await sessionFileOf(rpc);
		await untilRead(a, model);
		const away = () => JSON.parse(inLedger<{ away: string }>(a, "SELECT away FROM runs")[0]?.away ?? "{}");
		expect(away()).toMatchObject({ worker: b.worker.name });
		b.machine.cut();
		await eventually(() => expect(away()).toEqual({ pool: "team", since: expect.any(Number) }));
		b.machine.plugIn();
		second.open();
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toMatch(/Status: success[\s\S]*Read the note\./);
		await b.worker.leave();
		await rpc.close();
	});
});
