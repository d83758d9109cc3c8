import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home, HomeOptions } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { lockLedgerFile } from "../helpers/ledger-file.ts";
import { longTest } from "../helpers/long-test.ts";
import type { RecordedRequest, ScriptedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, httpError, type Reply, text, toolCall, usage } from "../helpers/model-steps.ts";
import { promptPi, somePi, startRpc } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions, readTranscript } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();

const SAID = "The word is marzipan. Then rename every file.";
const scout = (fields = "") =>
	agentNamed("scout", "You look around.", `tools: read, ls\ncontext: fork\n${fields}`.trim());

const isSummary = ({ systemText }: ScriptedRequest): boolean => systemText.includes("summariz");
const rolesOf = ({ messages }: RecordedRequest): string[] => messages.map(({ role }) => role);
const wordIn = ({ messages }: ScriptedRequest): string =>
	JSON.stringify(messages).includes("marzipan") ? "marzipan" : "nothing";
const forksIn = ({ agentDir }: Home): string[] => {
	const folder = join(agentDir, "pi-geon", "forks");
	return existsSync(folder) ? readdirSync(folder) : [];
};

interface Setup extends Partial<Omit<HomeOptions, "model">> {
	pi: PiVersion;
	parent?: readonly Reply[];
	child?: (request: ScriptedRequest, home: Home) => Reply;
	/** Of what pi reads when it starts, so that it needs a pi of its own. */
	edit?: (models: Models) => void;
	/** `pi -p` with these arguments. */
	args?: string[];
}

async function delegated({ parent, child = (request) => finalize(wordIn(request)), edit, args, ...options }: Setup) {
	const ownPi = edit !== undefined || args !== undefined;
	const home: Home = await (ownPi ? openHome : shared.openHome)({
		agents: { "scout.md": scout() },
		script: dispatch({
			parent: parent ?? [
				[text("I look first."), toolCall("ls", { path: "." })],
				[text("Now I ask."), delegateTo("scout", "Say the word.")],
				text("Done."),
			],
			child: (request) => child(request, home),
		}),
		...options,
	});
	if (edit) editModels(home, edit);
	const run = ownPi
		? await promptPi(home, SAID, { version: options.pi, args: args ?? [] })
		: await shared.promptPi(home, SAID);
	const [details] = delegations(run);
	const requests = home.model.requests.filter(({ isChild }) => isChild);
	return { home, details, result: details?.results[0], requests };
}

/** Filler that takes about as many tokens. */
const words = (tokens: number): string => "word ".repeat(Math.ceil((tokens * 4) / 5));

type Models = { providers: Record<string, { models: { id: string; [field: string]: unknown }[] }> };

function editModels({ agentDir }: Home, edit: (models: Models) => void): void {
	const file = join(agentDir, "models.json");
	const models = JSON.parse(readFileSync(file, "utf8")) as Models;
	edit(models);
	writeFileSync(file, JSON.stringify(models));
}

const modelIn = ({ providers }: Models, id: string) =>
	providers.scripted?.models.find((model) => model.id === id) ?? { id };

/** A conversation of some 65,000 tokens, of which the child's window takes fewer. */
const LONG = [
	[text(`One. ${words(30_000)}`), toolCall("ls", { path: "." }), usage({ input: 30_000, output: 30_000 })],
	[text(`Two. ${words(30_000)}`), toolCall("ls", { path: "." }), usage({ input: 62_000, output: 30_000 })],
	[text("Now I ask."), delegateTo("scout", "Say the word."), usage({ input: 95_000, output: 10 })],
	text("Done."),
];

/** The windows that it is too long for. */
const SMALL = { child: 64_000, priced: 64_000 };

const SUMMARY = [text("They spoke of marzipan."), usage({ input: 4_000, output: 300 })];

describe.each(somePi(import.meta.url))("context: fork, pi %s", (pi) => {
	test("a child knows what was said before the call, and where its own task begins", async () => {
		const { home, result, requests } = await delegated({ pi });
		expect(result).toMatchObject({ exitCode: 0, output: "marzipan" });
		expect(result?.warnings ?? []).toEqual([]);
		const [request] = requests as [RecordedRequest];
		// Its own prompt leads; then the conversation without the message that made the call; then the line, and the task.
		expect(rolesOf(request)).toEqual(["system", "user", "assistant", "tool", "user", "user"]);
		const said = request.messages.map(({ content }) => JSON.stringify(content));
		expect(request.systemText).toContain("You look around.");
		expect(request.systemText).toContain("a copy of the conversation of the agent that you work for");
		expect(said[1]).toContain(SAID);
		expect(said[4]).toContain("Your own task begins here");
		expect(said[4]).toContain("do not continue it");
		expect(said[5]).toContain("Say the word.");
		expect(said.join()).not.toContain("Now I ask.");
		expect(request.tools).not.toContain("subagent");
		expect(statSync(result?.sessionFile ?? "").mode & 0o777).toBe(0o600);
		expect(forksIn(home)).toEqual([]);
		// What the parent paid for its own answers is not the child's.
		expect(result?.usage).toMatchObject({ input: 10, output: 5, turns: 1 });
	});

	longTest("the child's prompt leads also where a model takes system messages anywhere", async () => {
		const { requests } = await delegated({
			pi,
			edit: (models) => {
				modelIn(models, "parent").compat = { supportsMidConvoSystemMessages: true };
			},
		});
		expect(requests[0] && rolesOf(requests[0])).toEqual(["system", "user", "assistant", "tool", "user", "user"]);
	});

	test("sessions_spawn takes the field, and it wins over the agent's file; another value is an error", async () => {
		const spawn = (fields: object) => toolCall("sessions_spawn", { task: "Say the word.", ...fields });
		const { home } = await delegated({
			pi,
			// `pi -p` waits for what it spawned.
			args: [],
			parent: [
				[
					spawn({ context: "fork", label: "forked" }),
					spawn({ agent: "scout", label: "by file" }),
					spawn({ agent: "scout", context: "fresh", label: "fresh" }),
					spawn({ context: "copy", label: "wrong" }),
				],
				text("Later."),
				text("Heard."),
				text("Heard."),
				text("Heard."),
			],
		});
		const rows = inLedger<{ label: string; answer: string }>(
			home,
			"SELECT label, outcome ->> '$.finalized.result' AS answer FROM runs ORDER BY label",
		);
		expect(rows).toEqual([
			{ label: "by file", answer: "marzipan" },
			{ label: "forked", answer: "marzipan" },
			{ label: "fresh", answer: "nothing" },
		]);
		const answers = home.model.requests.flatMap(({ toolResults }) => toolResults.map((result) => result.text));
		expect(answers.join()).toContain("context must be fresh or fork.");
	});

	test("a conversation larger than the child's window is compacted first, and paid for once by the run", async () => {
		const { home, result, requests } = await delegated({
			pi,
			agents: { "scout.md": scout("model: scripted/priced") },
			parent: LONG,
			windows: SMALL,
			child: (request) =>
				isSummary(request) ? SUMMARY : [finalize(wordIn(request)), usage({ input: 900, output: 50 })],
		});
		expect(result).toMatchObject({ exitCode: 0, output: "marzipan" });
		const [summaries, others] = [requests.filter(isSummary), requests.filter((request) => !isSummary(request))];
		expect(summaries.length).toBeGreaterThan(0);
		expect(others).toHaveLength(1);
		const seen = JSON.stringify(others[0]?.messages);
		expect(seen).toContain("They spoke of marzipan.");
		expect(seen).not.toContain("One. word");
		expect(seen).toContain("Your own task begins here");
		const calls = summaries.length;
		expect(result?.usage).toMatchObject({ input: 900 + calls * 4_000, output: 50 + calls * 300, turns: 1 });
		expect(result?.usage.cost).toBeCloseTo(((900 + calls * 4_000) * 3 + (50 + calls * 300) * 15) / 1_000_000, 9);
		expect(forksIn(home)).toEqual([]);
	});

	longTest("what is to be summarized may be larger than the window too: it is done in parts that fit", async () => {
		const WINDOW = 40_000;
		const turns = Array.from({ length: 9 }, (_, n) => [
			text(`Part ${n}. ${words(9_000)}`),
			toolCall("ls", { path: "." }),
			usage({ input: 9_000 * (n + 1), output: 9_000 }),
		]);
		const { result, requests } = await delegated({
			pi,
			parent: [...turns, ...LONG.slice(2)],
			agents: { "scout.md": scout("model: scripted/child") },
			edit: (models) => {
				modelIn(models, "child").contextWindow = WINDOW;
			},
			child: (request) => {
				if (!isSummary(request)) return finalize(wordIn(request));
				const before = /They spoke of marzipan, (\d+)/.exec(request.lastUserText)?.[1] ?? "0";
				return [text(`They spoke of marzipan, ${Number(before) + 1}.`), usage({ input: 4_000, output: 300 })];
			},
		});
		expect(result).toMatchObject({ exitCode: 0, output: "marzipan" });
		const summaries = requests.filter(isSummary);
		expect(summaries.length).toBeGreaterThan(2);
		for (const { lastUserText } of summaries) expect(lastUserText.length / 4).toBeLessThan(WINDOW);
		// Each part continues from the summary before, and the child gets the last one.
		const asked = requests.at(-1) as RecordedRequest;
		expect(JSON.stringify(asked.messages)).toContain(`They spoke of marzipan, ${summaries.length}.`);
		expect(JSON.stringify(asked.messages).length / 4).toBeLessThan(WINDOW);
		expect(result?.usage.input).toBe(summaries.length * 4_000 + 10);
	});

	test("if it cannot be compacted the child is not started, and the result says why", async () => {
		const { details, requests } = await delegated({
			pi,
			parent: LONG,
			agents: { "scout.md": scout("model: scripted/child") },
			windows: SMALL,
			child: () => httpError(400, { body: '{"error":{"message":"no summaries today"}}' }),
		});
		expect(details?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "provider" });
		expect(details?.error?.message).toMatch(
			/the copy of the conversation \(some .*k tokens\) is too large for the context window of scripted\/child \(64k\), and it could not be compacted: .*no summaries today.*context "fresh"/,
		);
		expect(requests.every(isSummary)).toBe(true);
	});

	longTest("a fallback model compacts it where the first cannot be used, and works on in its place", async () => {
		const { result, requests } = await delegated({
			pi,
			parent: LONG,
			agents: { "scout.md": scout("model: scripted/child\nfallbackModels: [scripted/priced]") },
			windows: SMALL,
			child: (request) => {
				if (request.model === "child") return httpError(403, { body: '{"error":{"message":"not yours"}}' });
				return isSummary(request) ? SUMMARY : finalize(wordIn(request));
			},
		});
		expect(result).toMatchObject({ exitCode: 0, output: "marzipan", model: "scripted/priced", attempts: 2 });
		expect(result?.warnings).toEqual([expect.stringContaining("scripted/child could not be used (HTTP 403")]);
		expect(requests.filter(({ model }) => model === "child").every(isSummary)).toBe(true);
		expect(requests.at(-1)?.model).toBe("priced");
	});

	longTest("another provider gets the conversation: a warning says so", async () => {
		const { result } = await delegated({
			pi,
			agents: { "scout.md": scout("model: elsewhere/child") },
			edit: (models) => {
				models.providers.elsewhere = structuredClone(models.providers.scripted ?? { models: [] });
			},
		});
		expect(result).toMatchObject({ exitCode: 0, output: "marzipan", model: "elsewhere/child" });
		expect(result?.warnings).toEqual([
			"The conversation goes to another provider, elsewhere: scout starts from a copy of it (context: fork).",
		]);
	});

	longTest(
		"a killed host: the next one goes on in the same copy, which is neither made nor compacted again",
		async () => {
			let killed = false;
			const { result, requests } = await delegated({
				pi,
				parent: LONG,
				agents: { "scout.md": scout("model: scripted/child") },
				windows: SMALL,
				child: (request, home) => {
					if (isSummary(request)) return SUMMARY;
					if (request.toolResults.every(({ name }) => name !== "read"))
						return [text("I read."), toolCall("read", { path: "x" })];
					if (killed) return finalize(wordIn(request));
					killed = true;
					killHostsAtWork(home);
					return [delay(100)];
				},
			});
			expect(result).toMatchObject({ exitCode: 0, output: "marzipan", attempts: 2 });
			const last = requests.at(-1) as RecordedRequest;
			expect(interruptions(last)).toBe(1);
			expect(last.toolResults.filter(({ name }) => name === "read")).toHaveLength(1);
			const transcript = readFileSync(result?.sessionFile ?? "", "utf8");
			expect(transcript.split("Your own task begins here")).toHaveLength(2);
			expect(transcript.split('"type":"compaction"')).toHaveLength(2);
			expect(readTranscript(result?.sessionFile ?? "").isOneLine).toBe(true);
			expect(requests.findLastIndex(isSummary)).toBeLessThan(requests.findIndex((request) => !isSummary(request)));
		},
	);

	test("a continued session is not copied again, and its history is its own", async () => {
		const home = await shared.openHome({
			pi,
			agents: { "scout.md": scout() },
			script: dispatch({
				parent: ({ turn, toolResults }) => {
					const [, id = ""] = /Session ID:\*\* `([^`]+)`/.exec(toolResults[0]?.text ?? "") ?? [];
					const history = { sessionKey: `agent:main:subagent:${id}`, includeTools: true };
					const again = [delegateTo("scout", "And now?", id), toolCall("sessions_history", history)];
					return [delegateTo("scout", "Say the word."), text("Done."), again, text("Done.")][turn] ?? text("?");
				},
				child: (request) => finalize(wordIn(request)),
			}),
		});
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle(SAID);
		const events = await rpc.promptAndSettle("Again.");
		const requests = home.model.requests.filter(({ isChild }) => isChild);
		expect(requests).toHaveLength(2);
		const second = JSON.stringify(requests[1]?.messages);
		expect(second.split("Your own task begins here")).toHaveLength(2);
		expect(second).not.toContain("Again.");
		expect(requests[1]?.systemText).toContain("a copy of the conversation");
		expect(requests[1]?.lastUserText).toBe("And now?");
		const history = events.find(
			({ type, toolName }) => type === "tool_execution_end" && toolName === "sessions_history",
		);
		expect(JSON.stringify(history?.result)).toContain("Say the word.");
		expect(JSON.stringify(history?.result)).not.toContain(SAID);
	});
});

longTest("each call of a message, and each call of a script, has a copy of its own", async () => {
	const code = `
		const ask = (n) => tools.subagent({ agent: "scout", task: "Say it, " + n + "." });
		return (await Promise.all([1, 2].map(ask))).map(({ output }) => output);`;
	const { home, requests } = await delegated({
		pi: "1.5.0",
		args: ["--tools", "+codemode"],
		parent: [
			[text("Both."), delegateTo("scout", "Say it, a."), delegateTo("scout", "Say it, b.")],
			[text("By script."), toolCall("codemode", { code })],
			text("Done."),
		],
		child: (request) => finalize(`${wordIn(request)} ${request.lastUserText}`),
	});
	const seen = new Map(requests.map((request) => [request.lastUserText, rolesOf(request)]));
	expect([...seen.keys()].sort()).toEqual(["Say it, 1.", "Say it, 2.", "Say it, a.", "Say it, b."]);
	for (const task of ["a", "b"]) expect(seen.get(`Say it, ${task}.`)).toEqual(["system", "user", "user", "user"]);
	const afterBoth = ["system", "user", "assistant", "tool", "tool", "user", "user"];
	for (const task of ["1", "2"]) expect(seen.get(`Say it, ${task}.`)).toEqual(afterBoth);
	const files = inLedger<{ file: string }>(home, "SELECT file FROM sessions");
	expect(new Set(files.map(({ file }) => file)).size).toBe(4);
	expect(home.model.requests.at(-1)?.toolResults.at(-1)?.text).toContain("marzipan Say it, 2.");
});

test("a pi that is killed before the run is admitted leaves a copy that pi-geon gc removes, and no run", async () => {
	let other: ReturnType<typeof lockLedgerFile> | undefined;
	const home: Home = await openHome({
		agents: { "scout.md": scout() },
		script: dispatch({
			parent: ({ lastUserText }) => {
				if (lastUserText !== SAID) return text("Hello.");
				// Another process writes and does not continue, so that nothing is admitted.
				other = lockLedgerFile(join(home.agentDir, "pi-geon", "ledger.sqlite"));
				return delegateTo("scout", "Say the word.");
			},
			child: [finalize("Never.")],
		}),
	});
	const ledger = join(home.agentDir, "pi-geon", "ledger.sqlite");
	const rpc = startRpc(home);
	await rpc.promptAndSettle("Hello?");
	// A host is started ahead: there is a ledger then.
	await eventually(() => {
		expect(existsSync(ledger)).toBe(true);
		expect(inLedger(home, "SELECT id FROM hosts")).not.toEqual([]);
	});
	await rpc.prompt(SAID);
	const fileOf = (name: string) => join(home.agentDir, "pi-geon", "forks", name);
	await eventually(() => {
		expect(forksIn(home).map((name) => readFileSync(fileOf(name), "utf8"))).toEqual([
			expect.stringContaining("marzipan"),
		]);
	});
	rpc.child.kill("SIGKILL");
	await rpc.exited;
	other?.release();
	expect(inLedger(home, "SELECT id FROM runs")).toEqual([]);
	const [name = ""] = forksIn(home);
	const file = fileOf(name);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(forksIn(home)).toEqual([name]);
	const before = Date.now() / 1000 - 3700;
	utimesSync(file, before, before);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(forksIn(home)).toEqual([]);
});
