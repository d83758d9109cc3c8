import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import { subagentOutput } from "../../src/pi/tools/subagent-output.ts";
import { treesRoot } from "../../src/plan/session-place.ts";
import { piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids, killHosts, killHostsAtWork } from "../helpers/hosts.ts";
import { ringedProcessesOf } from "../helpers/leaks.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { contentOf, repositoryIn, textsIn, write } from "../trees/repos.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A project whose test fails until `double` is right, with work of the user's in it that is in no commit. */
const FILES = {
	"double.js": "exports.double = (n) => n + n + 1;\n",
	"test.js": 'require("node:assert").equal(require("./double.js").double(4), 8);\nconsole.log("the test passes");\n',
	"README.md": "# Double\n",
	".gitignore": "node_modules\n",
};

function projectIn(home: Home): string {
	const project = repositoryIn(home.project, FILES);
	write(project, { "notes.txt": "of the user\n", "README.md": "# Double, by the user\n" });
	return project;
}

const treesLeft = (home: Home): string[] => {
	const root = treesRoot(home.agentDir, home.home);
	return existsSync(root) ? readdirSync(root) : [];
};

const fix = [
	toolCall("write", { path: "double.js", content: "exports.double = (n) => 2 * n;\n" }),
	toolCall("edit", { path: "README.md", edits: [{ oldText: "by the user", newText: "by both" }] }),
	toolCall("write", { path: "docs/double.md", content: "It doubles.\n" }),
	toolCall("bash", { command: "node test.js && cat notes.txt && git status --short" }),
];

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a worker changes three files and runs the tests in its tree; the user applies it and takes it back", async () => {
		const script = dispatch({
			parent: [delegateTo("worker", "Fix double."), text("Done.")],
			child: [...fix, finalize("Fixed.")],
		});
		const home = await openHome({ script });
		const project = projectIn(home);
		const before = contentOf(project);

		const run = await promptPi(home, "Fix double.", { version });
		expect(run.finalText, run.stderr).toBe("Done.");
		const [details] = delegations(run);
		const [result] = details?.results ?? [];
		expect(result).toMatchObject({
			exitCode: 0,
			sandbox: { enforced: "kernel", write: "worktree", network: "off" },
			changes: {
				base: { dirty: true },
				state: "pending",
				total: { files: 3 },
				files: [
					{ path: "README.md", status: "M", added: 1, removed: 1 },
					{ path: "docs/double.md", status: "A", added: 1, removed: 0 },
					{ path: "double.js", status: "M", added: 1, removed: 1 },
				],
			},
		});
		const parts = ["base", "bundle", "commit", "files", "patch", "sha256", "state", "total", "warnings"];
		expect(Object.keys(result?.changes ?? {}).sort()).toEqual(parts);
		expect(result?.warnings).toBeUndefined();
		const told = run.events.find((event) => event.type === "tool_execution_end")?.result;
		// pi before 0.99 has no scripts.
		if (version !== "0.87.1") {
			const { structuredContent } = told as { structuredContent: { changes?: unknown } };
			expect(structuredContent.changes).toEqual(result?.changes);
			expect(Value.Errors(subagentOutput, structuredContent)).toEqual([]);
		}
		expect(contentOf(project)).toEqual(before);
		expect(treesLeft(home)).toEqual([]);
		const ran = home.model.requests
			.filter(({ isChild }) => isChild)
			.at(-1)
			?.toolResults.at(-1)?.text;
		expect(ran).toContain("the test passes\nof the user\n");

		expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
		expect(textsIn(project)).toMatchObject({
			"double.js": "exports.double = (n) => 2 * n;\n",
			"README.md": "# Double, by both\n",
			"docs/double.md": "It doubles.\n",
			"notes.txt": "of the user\n",
		});
		expect(await piGeon(home, ["apply", "last", "--undo", "--yes"])).toMatchObject({ code: 0 });
		expect(contentOf(project)).toEqual(before);
	});
});

const sessionsOf = (home: Home): string[] =>
	inLedger<{ id: string }>(home, "SELECT id FROM sessions").map(({ id }) => id);

const writeIn = (path: string, content: string) => toolCall("write", { path, content });
const letterOf = (task: string): string => task.at(-2) ?? "";

longTest(
	"six workers at once on one dirty checkout: six sets of changes, and those that conflict are refused by name",
	async () => {
		const letters = ["a", "b", "c", "d", "e", "e"];
		const script = dispatch({
			parent: [letters.map((letter, n) => delegateTo("worker", `Change ${n}${letter}.`)), text("Done.")],
			child: ({ turn, firstUserText }) => {
				const file = `${letterOf(firstUserText)}.txt`;
				return turn === 0 ? writeIn(file, `${firstUserText}\n`) : finalize(`Wrote ${file}.`);
			},
		});
		const home = await openHome({ script, env: {} });
		const project = projectIn(home);
		const before = contentOf(project);
		const run = await promptPi(home, "Go.", { version: ANY_PI });
		const all = delegations(run);
		expect(all.flatMap(({ results }) => results[0]?.changes?.files.map(({ path }) => path)).sort()).toEqual(
			letters.map((letter) => `${letter}.txt`),
		);
		expect(contentOf(project)).toEqual(before);
		expect(treesLeft(home)).toEqual([]);

		const touching = all.filter(({ results }) => results[0]?.changes?.files[0]?.path === "e.txt");
		const [first, second] = touching.map(({ runId }) => String(runId));
		expect(await piGeon(home, ["apply", first ?? "", "--yes"])).toMatchObject({ code: 0 });
		const applied = contentOf(project);
		expect(await piGeon(home, ["apply", second ?? "", "--yes"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("e.txt"),
		});
		expect(contentOf(project)).toEqual(applied);
	},
);

describe("whatever way a run with a tree ends, its changes come home and the ending stays what it is", () => {
	longTest("it timed out", async () => {
		const script = dispatch({
			parent: [delegateTo("slow", "Write."), text("Done.")],
			child: [writeIn("half.txt", "half\n"), hang()],
		});
		const slow = agentNamed("slow", "You write.", "isolation: worktree\ntools: write\ntimeoutMs: 6000");
		const home = await openHome({ script, agents: { "slow.md": slow } });
		projectIn(home);
		const [details] = delegations(await promptPi(home, "Go.", { version: ANY_PI }));
		expect(details?.results).toMatchObject([
			{ exitCode: 124, cause: "timeout", changes: { total: { files: 1 }, files: [{ path: "half.txt", status: "A" }] } },
		]);
		expect(treesLeft(home)).toEqual([]);
	});

	test("the user stopped it", async () => {
		const home: Home = await openHome({
			script: dispatch({
				parent: [delegateTo("worker", "Write."), text("Done.")],
				child: [writeIn("half.txt", "half\n"), [text("Now"), hang()]],
			}),
		});
		projectIn(home);
		const running = promptPi(home, "Go.", { version: ANY_PI });
		await eventually(() => expect(home.model.requests.some(({ isChild, turn }) => isChild && turn === 1)).toBe(true));
		expect(await piGeon(home, ["stop", "last"])).toMatchObject({ code: 0 });
		const [details] = delegations(await running);
		expect(details?.results).toMatchObject([
			{ exitCode: 130, cause: "stopped", changes: { files: [{ path: "half.txt" }] } },
		]);
		expect(treesLeft(home)).toEqual([]);
	});

	test("its host was killed while it worked: it continues in the same tree", async () => {
		const home: Home = await openHome({
			script: dispatch({
				parent: [delegateTo("worker", "Write."), text("Done.")],
				child: (request) => {
					if (interruptions(request) > 0)
						return request.toolResults.some(({ text: said }) => said === "first\n")
							? finalize("Went on.")
							: toolCall("bash", { command: "cat first.txt" });
					return request.turn === 0 ? writeIn("first.txt", "first\n") : [text("Now"), hang()];
				},
			}),
		});
		projectIn(home);
		const running = promptPi(home, "Go.", { version: ANY_PI });
		await eventually(() => expect(home.model.requests.some(({ isChild, turn }) => isChild && turn === 1)).toBe(true));
		killHostsAtWork(home);
		const [details] = delegations(await running);
		expect(details?.results).toMatchObject([
			{ exitCode: 0, attempts: 2, output: "Went on.", changes: { files: [{ path: "first.txt" }] } },
		]);
		expect(treesLeft(home)).toEqual([]);
	});

	longTest("its user keeps no history: a variable names /dev/null, and the changes come home", async () => {
		const home = await openHome({
			script: dispatch({
				parent: [delegateTo("worker", "Write."), text("Done.")],
				child: [writeIn("new.txt", "new\n"), finalize("Written.")],
			}),
		});
		projectIn(home);
		const run = await promptPi(home, "Go.", { version: ANY_PI, env: { LESSHISTFILE: "/dev/null" } });
		expect(delegations(run)[0]?.results).toMatchObject([{ exitCode: 0, changes: { files: [{ path: "new.txt" }] } }]);
		expect(treesLeft(home)).toEqual([]);
	});

	longTest("its only host was killed: the changes are kept, and come home when somebody asks for them", async () => {
		const home: Home = await openHome({
			config: { subagents: { retry: { enabled: false } } },
			script: dispatch({
				parent: [delegateTo("worker", "Write."), text("Done.")],
				child: [writeIn("left.txt", "left\n"), [text("Now"), hang()]],
			}),
		});
		const project = projectIn(home);
		const running = promptPi(home, "Go.", { version: ANY_PI });
		await eventually(() => expect(home.model.requests.some(({ isChild, turn }) => isChild && turn === 1)).toBe(true));
		killHostsAtWork(home);
		const [details] = delegations(await running);
		const [result] = details?.results ?? [];
		expect(result).toMatchObject({ exitCode: 1, cause: "lost" });
		expect(result?.warnings?.join("\n")).toContain(`/subagents changes ${details?.runId}`);
		expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
		expect(textsIn(project)["left.txt"]).toBe("left\n");
		expect(treesLeft(home)).toEqual([]);
	});

	test("its changes cannot be read: it is not a success, and the tree stays", async () => {
		const home: Home = await openHome({
			script: dispatch({
				parent: [delegateTo("worker", "Write."), text("Done.")],
				child: ({ turn }) => {
					if (turn === 0) return writeIn("kept.txt", "kept\n");
					const [folder = ""] = treesLeft(home);
					rmSync(join(treesRoot(home.agentDir, home.home), folder, "git", "objects"), { recursive: true });
					return finalize("Written.");
				},
			}),
		});
		projectIn(home);
		const [details] = delegations(await promptPi(home, "Go.", { version: ANY_PI }));
		expect(details).toMatchObject({
			error: { code: "SUBAGENT_FAILED", reason: "not_harvested" },
			results: [{ exitCode: 1, cause: "not_harvested", output: "Written." }],
		});
		const [folder = ""] = treesLeft(home);
		const tree = join(treesRoot(home.agentDir, home.home), folder, "tree");
		expect(textsIn(tree)["kept.txt"]).toBe("kept\n");
	});
});

longTest(
	"a session that goes on has its pending changes in the new tree, and the later ones replace the earlier",
	async () => {
		const first = { id: "" };
		const home: Home = await openHome({
			script: dispatch({
				parent: ({ turn }) => {
					if (turn === 0) return delegateTo("worker", "Begin.");
					return turn === 1 ? delegateTo("worker", "Go on.", first.id) : text("Done.");
				},
				child: ({ lastUserText, lastMessage, toolResults, systemText }) => {
					if (lastMessage?.role === "user")
						return lastUserText.includes("Go on.")
							? toolCall("bash", { command: "cat one.txt; echo two > two.txt" })
							: writeIn("one.txt", "one\n");
					first.id ||= sessionsOf(home)[0] ?? "";
					const isTold = systemText.includes("is in your copy again");
					return finalize(toolResults.at(-1)?.text.startsWith("one") ? `Went on, told: ${isTold}.` : "Begun.");
				},
			}),
		});
		const project = projectIn(home);
		const all = delegations(await promptPi(home, "Go.", { version: ANY_PI }));
		expect(all.map(({ results }) => [results[0]?.output, results[0]?.changes?.files.map(({ path }) => path)])).toEqual([
			["Begun.", ["one.txt"]],
			["Went on, told: true.", ["one.txt", "two.txt"]],
		]);
		const { stdout } = await piGeon(home, ["changes"]);
		expect(stdout).toMatch(/pending +2 files .*\n.*superseded +1 file /);
		expect(await piGeon(home, ["apply", String(all[0]?.runId), "--yes"])).toMatchObject({ code: 1 });
		expect(await piGeon(home, ["apply", String(all[1]?.runId), "--yes"])).toMatchObject({ code: 0 });
		expect(textsIn(project)).toMatchObject({ "one.txt": "one\n", "two.txt": "two\n" });
	},
);

longTest("the language server of a worker knows what the worker wrote, and ends with the run", async () => {
	const home: Home = await openHome({
		env: { PI_GEON_HOST_IDLE_MS: "600000" },
		script: dispatch({
			parent: [delegateTo("worker", "Write."), text("Done.")],
			child: ({ turn, toolResults }) => {
				if (turn === 0) return writeIn("half.ts", "export const halved = (n: number) => n / 2;\n");
				if (turn === 1) return toolCall("lsp", { action: "symbols", file: "half.ts" });
				return finalize(toolResults.at(-1)?.text ?? "");
			},
		}),
	});
	const project = projectIn(home);
	write(project, { "tsconfig.json": "{}\n" });
	const client = startRpc(home, { version: ANY_PI });
	await client.prompt("Go.");
	await eventually(() => expect(home.model.requests.filter(({ isChild }) => !isChild).at(-1)?.turn).toBe(1));
	const said = home.model.requests
		.filter(({ isChild }) => !isChild)
		.at(-1)
		?.toolResults.at(-1)?.text;
	expect(said).toContain("halved");
	// The host is still there.
	await eventually(() => {
		expect(hostPids(home)).toHaveLength(1);
		expect(ringedProcessesOf(home).filter(({ command }) => /tsserver|language-server/.test(command))).toEqual([]);
	});
	await client.close();
	killHosts(home, "SIGTERM");
});

describe("where there is no tree", () => {
	const script = dispatch({ parent: [delegateTo("worker", "Write."), text("Done.")], child: [finalize("Read only.")] });

	test("because no ring is available, a worker only reads, and its result says why", async () => {
		const home = await openHome({ script, config: { subagents: { sandbox: { mode: "off" } } } });
		projectIn(home);
		const [details] = delegations(await promptPi(home, "Go.", { version: ANY_PI }));
		expect(details?.results).toMatchObject([{ exitCode: 0, sandbox: { write: "none" } }]);
		expect(details?.results[0]?.warnings).toEqual([
			"Worker cannot get a tree to write in, so it only reads: subagents.sandbox.mode is off in pi-geon.json.",
			"bash, edit, write were left out: worker writes in a tree of its own, and cannot get one here.",
		]);
		const [request] = home.model.requests.filter(({ isChild }) => isChild);
		expect(request?.tools).not.toContain("bash");
	});

	test("because the checkout is too large, a worker is refused before a run exists", async () => {
		const home = await openHome({ script, config: { subagents: { worktree: { maxFiles: 3 } } } });
		projectIn(home);
		const [details] = delegations(await promptPi(home, "Go.", { version: ANY_PI }));
		expect(details).toMatchObject({ results: [], error: { code: "INVALID_INPUT", reason: "snapshot_too_large" } });
		expect(details?.runId).toBeUndefined();
	});
});

test("a child without a role writes in a tree, and its announce says what it changed and that nothing is applied", async () => {
	const home = await openHome({
		script: dispatch({
			parent: ({ turn, lastUserText }) =>
				turn === 0
					? toolCall("sessions_spawn", { task: "Write." })
					: text(lastUserText.includes("It changed 1 file") ? "Heard." : "Waiting."),
			child: [writeIn("spawned.txt", "by a child\n"), finalize("Written.")],
		}),
	});
	const project = projectIn(home);
	const before = contentOf(project);
	const client = startRpc(home, { version: ANY_PI });
	await client.prompt("Go.");
	await eventually(() => {
		const heard = home.model.requests.filter(({ isChild }) => !isChild).at(-1);
		const said = JSON.stringify(heard?.messages);
		expect(said).toMatch(
			/It changed 1 file \(\+1 -0\) in its copy of the checkout\. None of it is in the working tree yet/,
		);
		expect(said).toContain("A spawned.txt +1 -0");
	});
	await client.close();
	expect(contentOf(project)).toEqual(before);
});

test("in the inspector d shows the diff, and a applies it and takes it back, each after a yes", async () => {
	const home = await openHome({
		script: dispatch({
			parent: ({ turn }) => (turn === 0 ? delegateTo("worker", "Write.") : text("Done.")),
			child: [writeIn("seen.txt", "for all to see\n"), finalize("Written.")],
		}),
	});
	const project = projectIn(home);
	const before = contentOf(project);
	const terminal = startTerminal(home, { version: ANY_PI, cols: 120, rows: 30 });
	await terminal.ready();
	terminal.type("Go.\r");
	await terminal.waitForText(/Not in your working tree yet: \/subagents diff [\s\S]*Done\./);
	terminal.type("/subagents\r");
	await terminal.waitForText(/▸✓ #1 worker/);
	terminal.type("d");
	await terminal.waitForText(/\+for all to see/);
	terminal.type("a");
	await terminal.waitForText(/Apply the changes of .*? here\? y\/n/);
	terminal.type("n");
	await terminal.waitForText(/Nothing was done\./);
	expect(contentOf(project)).toEqual(before);
	terminal.type("a");
	await terminal.waitForText(/y\/n/);
	terminal.type("y");
	await terminal.waitForText(/Applied the changes of run/);
	expect(textsIn(project)["seen.txt"]).toBe("for all to see\n");
	terminal.type("a");
	await terminal.waitForText(/Remove the changes of .*? from your working tree\? y\/n/);
	terminal.type("y");
	await terminal.waitForText(/Undone: the changes of run/);
	expect(contentOf(project)).toEqual(before);
	terminal.type("q");
});
