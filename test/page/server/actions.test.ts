import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { placesIn } from "../../../src/ledger/places.ts";
import type { SendDone } from "../../../src/page/api/actions.ts";
import type { Exported, RunDetail, RunPage } from "../../../src/page/api/runs.ts";
import { treesRoot } from "../../../src/plan/session-place.ts";
import { finalize } from "../../e2e/child.ts";
import { eventually } from "../../e2e/ledger-of.ts";
import { agentNamed } from "../../helpers/agent-file.ts";
import { gate } from "../../helpers/gate.ts";
import type { Home } from "../../helpers/home.ts";
import { hostPids } from "../../helpers/hosts.ts";
import type { Script } from "../../helpers/model.ts";
import { dispatch } from "../../helpers/model-scripts.ts";
import { text, toolCall } from "../../helpers/model-steps.ts";
import { piVersions, startRpc } from "../../helpers/pi.ts";
import { useHome } from "../../helpers/use-home.ts";
import { contentOf, repositoryIn, textsIn, write } from "../../trees/repos.ts";
import { worked } from "../../trees/runs.ts";
import { servePageOf } from "../served.ts";
import { type APage, clientOf } from "./a-page.ts";

const openHome = useHome();

/** `pi-geon web`, and a client of it. */
async function pageOf(home: Home): Promise<APage & { leave(): Promise<void> }> {
	const served = await servePageOf(home);
	const closing: (() => void)[] = [];
	const client = clientOf(served, placesIn(home.agentDir), (close) => closing.push(close));
	return {
		...client,
		async leave() {
			for (const close of closing) close();
			served.kill("SIGINT");
			await served.ended;
		},
	};
}

const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb !== "spawn") return text("Heard.");
	return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "asker", label: task }));
};

describe.each(piVersions)("on the page of pi %s", (version) => {
	test("a run is watched, steered, asked, resumed and stopped, and no host stays because of the page", async () => {
		const held = gate();
		const child: Script = async ({ firstUserText, lastUserText, lastMessage, toolResults, turn }) => {
			if (firstUserText === "endless") return [text("I wait. "), async () => held.opened.then(() => text("Done."))];
			if (turn === 0) return [text("I begin."), toolCall("ls", {})];
			if (lastUserText.includes("Leave the tests out")) return finalize("Left out.");
			if (lastUserText.includes("Once more")) return finalize("Did it again.");
			if (lastMessage?.role === "tool" && toolResults.length === 1) {
				return toolCall("subagent_ask", { question: "Which database?", options: ["SQLite", "Postgres"] });
			}
			return finalize(`Told: ${toolResults.at(-1)?.text ?? ""}`);
		};
		const home = await openHome({
			pi: version,
			agents: { "asker.md": agentNamed("asker", "You ask.", "tools: ls\nask: true") },
			script: dispatch({ parent, child }),
			env: { PI_GEON_HOST_IDLE_MS: "1000" },
		});
		const page = await pageOf(home);
		const rpc = startRpc(home);
		const all = page.events();
		await rpc.promptAndSettle("spawn asks endless");
		const rows = (await page.get<RunPage>("/api/runs")).runs;
		const [asks, endless] = ["asks", "endless"].map((label) => rows.find((row) => row.label === label)?.runId ?? "");

		// The user of the pi sees the question too: the page is quicker.
		const live = page.events(`?run=${asks}&after=0`);
		await live.next("transcript", ({ items }) => items.some(({ text: said }) => said === "I begin."));
		const { questions } = await live.next("questions", (news) => news.questions.length > 0);
		expect(questions).toMatchObject([{ kind: "select", title: "Which database?", options: ["SQLite", "Postgres"] }]);
		const body = { questionId: questions[0]?.questionId, answer: 1 };
		expect(await page.post(`/api/runs/${asks}/answer`, body)).toEqual({ status: "taken" });
		expect((await live.next("run", ({ phase }) => phase === "ended")).answer).toMatch(/Told: .*Postgres/s);
		await all.next("runs", ({ runs }) => runs.some(({ runId, phase }) => runId === asks && phase === "ended"));

		const resumed = await page.post<SendDone>(`/api/runs/${asks}/send`, { message: "Once more" });
		expect(resumed).toMatchObject({ status: "accepted", how: "resumed", underway: true });
		await all.next("runs", ({ runs }) =>
			runs.some(({ runId, phase, status }) => runId === resumed.runId && phase === "ended" && status === "success"),
		);

		const watched = page.events(`?run=${endless}`);
		await watched.next("progress", ({ progress }) => JSON.stringify(progress.displayItems).includes("I wait."));
		expect(await page.post<SendDone>(`/api/runs/${endless}/send`, { message: "Leave the tests out" })).toMatchObject({
			how: "steered",
			runId: endless,
		});
		expect(await page.post(`/api/runs/${endless}/stop`)).toEqual({ runId: endless, was: "open" });
		await watched.next("run", ({ phase, cause }) => phase === "ended" && cause === "stopped");
		expect(await page.post(`/api/runs/${endless}/stop`)).toEqual({ runId: endless, was: "ended" });
		const detail = await page.get<RunDetail>(`/api/runs/${endless}`);
		expect(detail).toMatchObject({ stop: { by: "the user, on the live page" }, can: { stop: false } });

		held.open();
		await rpc.close();
		// Pages are still open, and look at runs that this host had.
		await eventually(() => expect(hostPids(home)).toEqual([]));
		await page.leave();
	});
});

test("changes are shown, applied, undone and discarded, and a conflict changes nothing", async () => {
	const home = await openHome({});
	const project = repositoryIn(join(home.project, "repo"), { a: "1\n2\n3\n", b: "b\n" });
	const places = placesIn(home.agentDir);
	const ledger = await openLedger(places.ledger);
	const place = { ledger, places, root: treesRoot(home.agentDir, home.home) };
	const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
	const { run } = await worked(place, project, (tree) => write(tree, { a: "1\ntwo\n3\n", key: `${key}\n` }));
	ledger.close();
	const page = await pageOf(home);
	const at = (what: string) => `/api/runs/${run.id}/${what}`;
	const before = contentOf(project);

	const detail = await page.get<RunDetail>(`/api/runs/${run.id}`);
	expect(detail.changesView).toMatchObject({ state: "pending", total: { files: 2, added: 2, removed: 1 } });
	expect(detail.can).toMatchObject({ apply: true, undo: false, discard: true });
	const diff = await page.get<{ text: string }>(at("diff"));
	expect(diff.text).toContain("-2\n+two\n");
	expect(diff.text).not.toContain(key);

	write(project, { a: "mine\n" });
	const conflict = await page.ask(at("apply"), { method: "POST", body: "{}" });
	expect([conflict.status, JSON.parse(conflict.body)]).toMatchObject([409, { conflicts: ["a"] }]);
	write(project, { a: "1\n2\n3\n" });
	expect(await page.post(at("apply"))).toMatchObject({ done: "applied", state: "applied" });
	expect(textsIn(project).a).toBe("1\ntwo\n3\n");
	expect((await page.ask(at("discard"), { method: "POST", body: "{}" })).status).toBe(409);
	expect(await page.post(at("undo"))).toMatchObject({ done: "undone" });
	expect(contentOf(project)).toEqual(before);

	expect(detail.can.branch).toBe(true);
	expect(detail.changesView?.usualBranch).toBe(`pi-geon/${run.id}`);
	const branch = async (body: object) => page.ask(at("branch"), { method: "POST", body: JSON.stringify(body) });
	expect((await branch({ name: 7 })).status).toBe(400);
	for (const name of ["--delete", "a..b", "-x", "a b"])
		expect([name, (await branch({ name })).status]).toEqual([name, 409]);
	expect(await page.post(at("branch"), { name: " mine " })).toMatchObject({ done: "branched", branch: "mine" });
	expect(await page.post(at("branch"), { name: "mine" })).toMatchObject({ done: "already" });
	expect(await page.post(at("branch"))).toMatchObject({ done: "branched", branch: `pi-geon/${run.id}` });
	expect(textsIn(project).a).toBe("1\n2\n3\n");

	const saved = await page.get<Exported>(at("export?format=md"));
	expect(saved.name).toBe(`pi-geon-${run.id}.md`);
	expect(saved.text).toContain("+two");
	expect(saved.text).not.toContain(key);
	for (const format of ["", "exe", "otlp"]) expect((await page.ask(at(`export?format=${format}`))).status).toBe(400);
	expect((await page.ask("/api/runs/0badcafe/export?format=md")).status).toBe(404);

	expect(await page.post(at("discard"))).toMatchObject({ done: "discarded" });
	expect((await branch({})).status).toBe(409);
	expect((await page.ask(at("diff"))).status).toBe(409);

	// What the commands beside it show, for one folder.
	const agents = await page.get<{ agents: { name: string; facts: { name: string }[] }[] }>("/api/agents");
	expect(agents.agents.map(({ name }) => name)).toContain("explorer");
	expect(agents.agents[0]?.facts.map(({ name }) => name)).toContain("gets here");
	expect((await page.ask("/api/agents?cwd=%2Fetc")).status).toBe(404);
	const logs = await page.get<{ lines: { message: string }[] }>("/api/logs");
	expect(logs.lines.map(({ message }) => message)).toContain("changes");
	await page.leave();
});
