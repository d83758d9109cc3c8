import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { type Script, startModel } from "../helpers/model.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startRpc } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import {
	announcesIn,
	commitProject,
	killMachine,
	POOL_CONFIG,
	POOL_VARIABLE,
	sessionFileOf,
	startWorker,
} from "./machines.ts";
import { usePostgres } from "./postgres.ts";

const openHome = useHome();
const postgres = usePostgres();

/** `spawn X` and `send KEY X`; everything else is heard. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [verb, first = "", ...rest] = lastUserText.split(" ");
	if (verb === "spawn") {
		return toolCall("sessions_spawn", {
			task: [first, ...rest].join(" "),
			agent: "explorer",
			label: first,
			pool: "team",
		});
	}
	if (verb === "send")
		return toolCall("sessions_send", { sessionKey: first, message: rest.join(" "), timeoutSeconds: 0 });
	return text("Heard.");
};

/** A child that reads a file, waits for the gate of its task if there is one, and says what it read. */
const child =
	(gates: Record<string, Gate>): Script =>
	async (request) => {
		const { lastUserText, messages } = request;
		const said = JSON.stringify(messages);
		const read = messages.filter(({ role }) => role === "tool").length;
		if (read === 0) return toolCall("read", { path: "NOTE.txt" });
		const task = Object.keys(gates).find((name) => said.includes(name));
		if (task) await gates[task]?.opened;
		return finalize(
			`Told ${lastUserText.slice(0, 40)}; ${messages.length} messages; ${said.includes("the note of A") ? "read the note of A" : "read nothing"}`,
		);
	};

async function machines(version: PiVersion, gates: Record<string, Gate> = {}) {
	const url = await postgres.newDatabase();
	const model = await startModel((request) => (request.isChild ? child(gates)(request) : parent(request)));
	const open = (name: string) =>
		openHome({
			model,
			pi: version,
			config: POOL_CONFIG,
			env: { [POOL_VARIABLE]: url },
			...(name === "A" && { files: { "NOTE.txt": "an old note", ".gitignore": "secret.txt\n" } }),
		});
	const [a, b, c] = await Promise.all([open("A"), open("B"), open("C")]);
	commitProject(a.project);
	// Changed since the commit, and new: both travel. What is ignored does not.
	writeFileSync(join(a.project, "NOTE.txt"), "the note of A");
	writeFileSync(join(a.project, "secret.txt"), "never travels");
	const home: Home = a;
	home.closers.add(() => model.close());
	return { url, model, a, b, c };
}

describe.each(piVersions)("a pool, on pi %s", (version) => {
	test("does a run on another machine, continues its session there, and brings home what it said, once", async () => {
		const { a, b, model } = await machines(version);
		const worker = await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn alpha");
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		const [first] = announcesIn(file);
		expect(first?.content).toContain("Status: success");
		expect(first?.content).toContain("read the note of A");
		// Its transcript is here, under the names that it has here.
		const [run] = inLedger<{ id: string; file: string; usage: string; away: string }>(
			a,
			"SELECT runs.id, file, usage, away FROM runs JOIN sessions ON sessions.id = session_id",
		);
		const transcript = readFileSync(run?.file ?? "", "utf8")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(transcript[0]).toMatchObject({ type: "session", cwd: a.project });
		expect(JSON.stringify(transcript)).toContain(`"runId":"${run?.id}"`);
		expect(JSON.parse(run?.usage ?? "{}")).toMatchObject({ turns: 2 });
		expect(JSON.parse(run?.away ?? "{}")).toMatchObject({ pool: "team", worker: worker.name });
		expect(existsSync(join(b.home, ".pi", "subagent-pool", "checkouts"))).toBe(true);
		void model;
		await worker.leave();
		await rpc.close();
	});
});
void killMachine;
void gate;
