import { execFile, execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { columnsOf } from "../../src/operate/report/layout.ts";
import { finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { hostPids } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { packPackage } from "../helpers/packed-package.ts";
import { runPi } from "../helpers/pi.ts";
import { usePreparedHome } from "../helpers/prepared-home.ts";
import { repositoryRoot, stagedPackage } from "../helpers/repository.ts";
import { canMount, smallDisk } from "../helpers/small-disk.ts";
import { useHome } from "../helpers/use-home.ts";
import { admission } from "../ledger/samples.ts";
import { cliFile, jsonOf, piGeon } from "./pi-geon.ts";

const openHome = useHome();

const isRoot = process.getuid?.() === 0;

const SECRET = "zx81-correct-horse-battery-staple";

interface Listed {
	runs: {
		runId: string;
		agent: string;
		status: string;
		parentSession: string;
		cwd: string;
		transcript: string;
	}[];
	count: { total: number };
}

/** A home in which pi has delegated once, and ended. */
const usedHome = usePreparedHome({
	env: { SERVICE_API_KEY: SECRET },
	script: dispatch({
		parent: [toolCall("subagent", { agent: "explorer", task: `Where is ${SECRET} kept?` }), text("Done.")],
		child: [finalize("In \u001b[31mthe drawer\u001b[0m.")],
	}),
	past: async (home) => void (await runPi(home, [...home.extensionArgs, "-p", "Delegate."])),
});

describe("without a ledger", () => {
	test("every command says that nothing was delegated, and makes nothing", async () => {
		const home = await openHome({});
		const before = readdirSync(home.agentDir);
		expect(await piGeon(home, ["list"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("Nothing has been delegated here yet"),
		});
		expect(await jsonOf<Listed>(home, ["list"])).toEqual({ runs: [], count: { total: 0, queued: 0, running: 0 } });
		for (const args of [
			["info", "last"],
			["log", "last", "-f"],
			["stop", "12345678"],
			["send", "last", "hello"],
		]) {
			const { code, stderr } = await piGeon(home, args);
			expect({ args, code, stderr }).toMatchObject({
				code: 1,
				stderr: expect.stringContaining("Nothing has been delegated"),
			});
		}
		expect(await piGeon(home, ["stop", "all"])).toMatchObject({
			code: 0,
			stdout: "Nothing to stop: no run is open.\n",
		});
		expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
		expect(await piGeon(home, ["logs"])).toMatchObject({ code: 0, stdout: "No log lines.\n" });
		expect(await piGeon(home, ["agents"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^6 agents\n/) });
		expect(readdirSync(home.agentDir)).toEqual(before);
	});
});

describe("a usage error", () => {
	test("says what is wrong and how to use the command, and exits with 2", async () => {
		const home = await openHome({});
		const wrong: [string[], string][] = [
			[["lst"], 'There is no command "lst". Did you mean list?'],
			[["show", "last"], 'There is no command "show". Did you mean info?'],
			[["run", "explorer"], 'There is no command "run". To start a run, use /subagents run in pi.'],
			[["list", "--bogus"], "Unknown option '--bogus'. Usage: pi-geon list"],
			[["list", "--limit", "many"], '--limit takes a whole number of at least 1, not "many".'],
			[
				["list", "--limit", "-3"],
				"--limit needs a value, and what begins with a dash is read as an option. Write --limit=<n>.",
			],
			[["list", "--limit"], "--limit needs a value: <n>. Usage: pi-geon list"],
			[["list", "--limit=-3"], '--limit takes a whole number of at least 1, not "-3".'],
			[["list", "--all", "--limit", "1"], "--all and --limit cannot be combined"],
			[["info"], "Missing argument: <run>. Usage: pi-geon info <run>"],
			[["info", "a", "b"], 'Unexpected argument "b". Usage: pi-geon info <run>'],
			[["send", "last"], "Missing argument: <message>. Usage: pi-geon send"],
			[["stop"], "Missing argument: <run|all>. Usage: pi-geon stop"],
			[["completion"], "Missing argument: bash|zsh|fish. Usage: pi-geon completion"],
			[["send", "last", "  "], "The message is empty."],
			[["logs", "--level", "loud"], "--level takes info, warn, error"],
			[["completion", "tcsh"], 'There is no completion for "tcsh"'],
			[["help", "me"], 'There is no command "me"'],
		];
		for (const [args, message] of wrong) {
			const { code, stdout, stderr } = await piGeon(home, args);
			expect({ args, code, stdout, stderr }).toEqual({
				args,
				code: 2,
				stdout: "",
				stderr: expect.stringContaining(message),
			});
			expect(stderr.trim().split("\n")).toHaveLength(1);
		}
		const asJson = await piGeon(home, ["list", "--bogus", "--json"]);
		expect(JSON.parse(asJson.stdout)).toEqual({ error: expect.stringContaining("--bogus") });
	});

	test("each command has help, and all of it fits a narrow terminal", async () => {
		const home = await openHome({});
		const { stdout } = await piGeon(home, ["--help"]);
		const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
		const onChanges = ["changes", "diff", "apply", "branch", "discard"];
		const others = ["agents", "doctor", "logs", "web", "gc", "worker", "pool", "completion"];
		expect(names).toEqual(["list", "info", "log", "export", "stop", "send", ...onChanges, ...others]);
		for (const args of [["--help"], ...names.map((name) => [name, "--help"])]) {
			const help = await piGeon(home, args, { env: { COLUMNS: "40" } });
			expect(help).toMatchObject({ code: 0, stderr: "" });
			expect(help.stdout.split("\n").filter((line) => columnsOf(line) > 40 && !line.startsWith("Usage:"))).toEqual([]);
		}
		expect((await piGeon(home, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
		expect(await piGeon(home, [])).toMatchObject({ code: 2, stdout: expect.stringContaining("Usage:") });
	});
});

describe("while no pi is open", () => {
	test("runs are listed, described and read, without secrets and without control characters", async () => {
		const home = await usedHome();
		const { runs } = await jsonOf<Listed>(home, ["list"]);
		expect(runs).toMatchObject([{ agent: "explorer", status: "success" }]);
		const [id = ""] = runs.map(({ runId }) => runId);
		const shown = [
			await piGeon(home, ["list"]),
			await piGeon(home, ["info", id.slice(0, 4)]),
			await piGeon(home, ["log", "last", "--tools"]),
			await piGeon(home, ["logs", "--run", id]),
		];
		for (const { code, stdout, stderr } of shown) {
			expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
			expect(stdout).toMatch(/explorer/);
			expect(stdout).not.toContain(SECRET);
			expect(stdout).not.toContain("\u001b");
		}
		expect(shown[2]?.stdout).toContain("In the drawer.");
		const [{ parentSession = "", cwd = "", transcript = "" } = {}] = runs;
		expect(shown[0]?.stdout).toMatch(
			new RegExp(`\\n {2}started \\d{4}-\\S+ \\S+ · session ${parentSession.slice(0, 13)} · \\S*/project\\n`),
		);
		expect(cwd).toBe(home.project);
		expect(JSON.parse(readFileSync(transcript, "utf8").split("\n")[0] ?? "")).toMatchObject({ type: "session" });
		expect(await jsonOf(home, ["info", id])).toMatchObject({ cwd, transcript });
		expect(await jsonOf(home, ["info", "last"])).toMatchObject({
			runId: id,
			answer: expect.stringContaining("the drawer"),
		});
		expect(await jsonOf(home, ["log", id])).toMatchObject({ agent: "explorer", messages: [{ role: "user" }, {}] });
		expect(await jsonOf<object[]>(home, ["logs", "--agent", "explorer"])).toContainEqual(
			expect.objectContaining({ runId: id, message: "ended", role: "host" }),
		);
		expect(await piGeon(home, ["log", id, "-f"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining(`Run ${id}: finished`),
		});
		expect(await piGeon(home, ["info", "nobody"])).toMatchObject({
			code: 1,
			stderr: 'pi-geon: No run has the id, number or label "nobody". `pi-geon list` shows the runs.\n',
		});
	});

	test("the logs of a run are found by any name of it, and none is taken for another", async () => {
		const home = await usedHome();
		const id = (await jsonOf<Listed>(home, ["list"])).runs[0]?.runId ?? "";
		const ofRun = (await piGeon(home, ["logs", "--run", id])).stdout;
		expect(ofRun).toMatch(/admitted[\s\S]*ended/);
		for (const name of ["last", id.slice(0, 4)]) {
			expect(await piGeon(home, ["logs", "--run", name])).toEqual({ code: 0, stdout: ofRun, stderr: "" });
		}
		// Of a run that the ledger does not know any more there may be lines.
		inLedger(home, "DELETE FROM runs");
		expect((await piGeon(home, ["logs", "--run", id])).stdout).toBe(ofRun);
		expect((await piGeon(home, ["logs", "--run", id.slice(0, 6)])).stdout).toBe(ofRun);
		for (const [options, message] of [
			[["--run", "bogus"], 'No run has the id, number or label "bogus". `pi-geon list` shows the runs.'],
			[["--run", "#3"], "Runs have numbers within their session only."],
			[["--run", "last"], "There are no runs yet."],
			[["--agent", "exploer"], 'No log line names an agent "exploer", and there is none here. Did you mean explorer?'],
		] as const) {
			expect([options, await piGeon(home, ["logs", ...options])]).toEqual([
				options,
				{ code: 1, stdout: "", stderr: expect.stringContaining(message) },
			]);
		}
		expect(await piGeon(home, ["logs", "--agent", "tester"])).toMatchObject({ code: 0, stdout: "No log lines.\n" });
		// In a pipe nothing is cut or broken, however narrow the terminal is.
		expect((await piGeon(home, ["logs", "--run", id], { env: { COLUMNS: "40" } })).stdout).toBe(ofRun);
	});

	test("a list is narrowed to a session or a directory", async () => {
		const home = await usedHome();
		const [{ parentSession = "" } = {}] = (await jsonOf<Listed>(home, ["list"])).runs;
		const count = async (args: string[], cwd = home.project) =>
			(await jsonOf<Listed>(home, ["list", ...args], { cwd })).count.total;
		expect(await count(["--session", parentSession])).toBe(1);
		expect(await count(["--session", parentSession.slice(0, 13)])).toBe(1);
		expect(await count(["--session", "another"])).toBe(0);
		expect(await count(["--here"])).toBe(1);
		expect(await count(["--here"], home.home)).toBe(0);
		expect((await piGeon(home, ["list", "--session", parentSession])).stdout).toContain("#1");
	});

	test("500 runs are listed, and the reader may close the pipe", async () => {
		const home = await openHome({});
		mkdirSync(join(home.agentDir, "pi-geon"), { recursive: true, mode: 0o700 });
		const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
		for (let count = 0; count < 500; count++) {
			admitRun(ledger, admission({ mode: "background", at: count, label: `run-${count}`, task: "Look. ".repeat(100) }));
		}
		ledger.close();
		const some = await piGeon(home, ["list"]);
		expect(some.stdout.split("\n")[0]).toBe("500 runs: 500 queued");
		expect(some.stdout).toContain("…and 480 more. --all shows them.");
		expect((await jsonOf<Listed>(home, ["list", "--all"])).runs).toHaveLength(500);
		expect((await jsonOf<Listed>(home, ["list", "-n", "3"])).runs).toHaveLength(3);
		for (const columns of [30, 40, 80]) {
			const { stdout } = await piGeon(home, ["list", "--all"], { env: { COLUMNS: `${columns}` } });
			expect(stdout.split("\n").filter((line) => columnsOf(line) > columns)).toEqual([]);
		}
		const pipe = `"${process.execPath}" "${cliFile()}" list --all --json | head -1; echo "\${PIPESTATUS[0]}"`;
		const piped = await promisify(execFile)("bash", ["-c", pipe], { env: home.env });
		expect(piped).toEqual({ stdout: "{\n0\n", stderr: "" });
	});

	longTest("commands, options, ids and labels are completed, in bash too", async () => {
		const home = await openHome({});
		mkdirSync(join(home.agentDir, "pi-geon"), { recursive: true, mode: 0o700 });
		const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
		const { run } = admitRun(ledger, admission({ label: "my-label" }));
		admitRun(ledger, admission({ label: "größe" }));
		admitRun(ledger, admission({ label: "two words" }));
		ledger.close();
		const complete = async (...words: string[]) =>
			(await piGeon(home, ["__complete", ...words])).stdout.trim().split("\n");
		expect(await complete("lo")).toEqual(["log", "logs"]);
		const names = await complete("stop", "");
		expect(names.slice(0, 2)).toEqual(["all", "last"]);
		expect(names).toContain(run.id);
		expect(names.slice(-2).sort()).toEqual(["größe", "my-label"]);
		expect(await complete("info", "gr")).toEqual(["größe"]);
		expect(await complete("info", "my")).toEqual(["my-label"]);
		expect(await complete("list", "--a")).toEqual(["--all"]);
		expect(await complete("completion", "z")).toEqual(["zsh"]);
		// The value of an option is not the run.
		for (const options of [["--wait", "5"], ["-w", "5"], ["-w5"], ["--wait=5"], ["--wait", "=", "5"], ["--here"]]) {
			expect([options, await complete("send", ...options, "my")]).toEqual([options, ["my-label"]]);
			expect([options, await complete("send", ...options, "my-label", "")]).toEqual([options, [""]]);
		}
		expect(await complete("log", "-ftn", "3", "my")).toEqual(["my-label"]);
		expect(await complete("log", "-ft", "my")).toEqual(["my-label"]);
		expect(await complete("send", "--wait", "")).toEqual([""]);
		expect(await complete("logs", "--run", "my")).toEqual(["my-label"]);
		expect(await complete("logs", "-r", run.id.slice(0, 7))).toEqual([run.id]);
		expect(await complete("logs", "--level", "")).toEqual(["info", "warn", "error"]);
		expect(await complete("logs", "--agent", "re")).toEqual(["researcher", "reviewer"]);
		expect(await complete("list", "--session", "")).toEqual([""]);
		expect(await complete("send", "--session", "x", "--w")).toEqual(["--wait"]);
		const bin = join(home.scratch, "bin");
		mkdirSync(bin);
		writeFileSync(join(bin, "pi-geon"), `#!/bin/sh\nexec "${process.execPath}" "${cliFile()}" "$@"\n`, { mode: 0o755 });
		const script = `eval "$(pi-geon completion bash)"; COMP_WORDS=(pi-geon info my); COMP_CWORD=2; _pi_geon; echo "\${COMPREPLY[@]}"`;
		const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
		expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" })).toBe("my-label\n");
		// Nor are file names offered where there is nothing to offer.
		const registered = `eval "$(pi-geon completion bash)"; complete -p pi-geon`;
		expect(execFileSync("bash", ["-c", registered], { env, encoding: "utf8" })).toBe("complete -F _pi_geon pi-geon\n");
	});

	test("broken agent files are reported with their place, and by the exit code", async () => {
		const home = await openHome({
			agents: { "broken.md": "---\nname: [\n---\n" },
			files: { ".pi/agents/own.md": agentNamed("own", "Do.") },
		});
		const { code, stdout } = await piGeon(home, ["agents"]);
		expect(code).toBe(1);
		expect(stdout.replace(/\s+/g, " ")).toMatch(/broken\.md:\d+:\d+: The frontmatter is not valid YAML/);
		expect(stdout).toContain("Not shown: 1 of this project");
	});

	test("the doctor finds pi on the PATH, starts a host with it and asks it for its models", async () => {
		const home = await openHome({
			agents: { "dear.md": agentNamed("dear", "Do.", "tools: read\nmodel: openai/gpt-4o") },
		});
		const fd = join(home.scratch, "bin");
		mkdirSync(fd);
		cpSync(join(repositoryRoot, "test", "children", "fd.sh"), join(fd, "fd"));
		const env = { PATH: `${fd}:${home.env.PATH}` };
		const { code, stdout, stderr } = await piGeon(home, ["doctor"], { env });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const report = stdout.replace(/\s+/g, " ");
		expect(report).toContain("ok versions: pi 0.87.1");
		expect(report).toMatch(/ok host: A host starts and answers/);
		expect(report).toContain("ok models: 3 models with credentials scripted");
		expect(report).toContain("warn models: The model openai/gpt-4o is unknown or has no credentials");
		expect(stdout).not.toContain("\u001b");
		// While a host has the ledger open, what counts is in another file.
		await eventually(() => expect(hostPids(home)).toEqual([]));
		writeFileSync(join(home.agentDir, "pi-geon", "ledger.sqlite"), "broken ".repeat(1000));
		const broken = await piGeon(home, ["doctor", "--json"], { env });
		expect(broken.code).toBe(1);
		expect(JSON.parse(broken.stdout)).toContainEqual(expect.objectContaining({ check: "ledger", level: "fail" }));
	});

	longTest("the doctor says how to install it where pi's settings do not load it, and else nothing", async () => {
		const installation = async (settings: object, extension?: string) => {
			const home = await openHome({ settings });
			const extensions = join(home.agentDir, "extensions");
			mkdirSync(extensions);
			writeFileSync(join(extensions, "other.ts"), extension ?? "export default () => {};\n");
			// Without a pi to start: quick.
			const { stdout } = await piGeon(home, ["doctor", "--json"], { env: { PATH: "/nowhere" } });
			const results = JSON.parse(stdout) as { check: string; level: string; remedy?: string }[];
			return results.filter(({ check }) => check === "installation").map(({ level, remedy }) => [level, remedy]);
		};
		const missing = [["warn", "pi install npm:pi-geon"]];
		expect(await installation({})).toEqual(missing);
		expect(await installation({ packages: ["npm:another", { source: "./nowhere" }], extensions: [] })).toEqual(missing);
		expect(await installation({ packages: ["npm:pi-geon@0.1.0"] })).toEqual([["pass", undefined]]);
		expect(await installation({ packages: [{ source: stagedPackage(), skills: [] }] })).toEqual([["pass", undefined]]);
		expect(await installation({ extensions: [join(stagedPackage(), "dist", "extension.js")] })).toEqual([
			["pass", undefined],
		]);
		expect(await installation({}, 'export { default } from "pi-geon/dist/extension.js";\n')).toEqual([
			["pass", undefined],
		]);
		// May be anything.
		expect(await installation({ packages: ["git:github.com/somebody/fork"] })).toEqual([]);
	});

	longTest("the doctor does not miss what was delegated with -e, nor tools that it cannot know", async () => {
		const home = await openHome({
			config: { tools: { subagents: { tools: { deny: ["gerp", "Bash", "github_search_code"] } } } },
		});
		mkdirSync(join(home.agentDir, "pi-geon"), { recursive: true, mode: 0o700 });
		const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
		admitRun(ledger, admission());
		ledger.close();
		const { stdout } = await piGeon(home, ["doctor"], { env: { PATH: "/nowhere" } });
		const report = stdout.replace(/\s+/g, " ");
		expect(report).not.toContain("installation");
		expect(report).toMatch(/deny: no such tool: gerp \S+ → Did you mean grep\?/);
		expect(report).toMatch(/a tool that only a running pi knows: github_search_code \S+ → Run \/toolkit doctor/);
		expect(report).not.toContain("Bash");
	});

	test("a ledger that cannot be used is reported, and not touched", async () => {
		const home = await openHome({});
		const file = join(home.agentDir, "pi-geon", "ledger.sqlite");
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, "broken ".repeat(1000));
		expect(await piGeon(home, ["list"])).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringContaining("cannot be read as a ledger"),
		});
		expect(readFileSync(file, "utf8")).toMatch(/^broken/);
	});

	// The super-user may write everywhere but on a disk that is for reading only.
	test.skipIf(isRoot && !canMount()).each(["closed", "left by a process that was killed"])(
		"a ledger that may only be read, and was %s, is looked at, and the rest says why it cannot be done",
		async (how) => {
			const home = await openHome({});
			const folder = join(home.agentDir, "pi-geon");
			const disk = isRoot ? smallDisk(home, folder) : undefined;
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			const ledger = await openLedger(join(folder, "ledger.sqlite"));
			admitRun(ledger, admission({ label: "mine" }));
			const copy = join(home.scratch, "copy");
			cpSync(folder, copy, { recursive: true });
			ledger.close();
			if (how !== "closed") cpSync(copy, folder, { recursive: true });
			expect(readdirSync(folder)).toHaveLength(how === "closed" ? 1 : 3);
			if (disk) disk.makeReadOnly();
			else
				for (const path of [...readdirSync(folder).map((name) => join(folder, name)), folder]) chmodSync(path, 0o500);
			try {
				for (const args of [["list"], ["info", "mine"], ["log", "mine"], ["export", "mine"]]) {
					expect([args, await piGeon(home, args)]).toEqual([
						args,
						{ code: 0, stdout: expect.stringContaining("scout"), stderr: "" },
					]);
				}
				for (const args of [["stop", "mine"], ["send", "mine", "more"], ["gc"]]) {
					expect([args, await piGeon(home, args)]).toEqual([
						args,
						{
							code: 1,
							stdout: "",
							stderr: expect.stringContaining("Give your user write access to the file and its folder"),
						},
					]);
				}
			} finally {
				if (!disk) chmodSync(folder, 0o700);
			}
		},
	);

	test("what is past its time is removed", async () => {
		const home = await usedHome();
		inLedger(home, "UPDATE runs SET ended_at = 1, delivered_at = 1");
		// By what the user wants, not by a default in place of what they wrote.
		const file = join(home.agentDir, "pi-geon.json");
		for (const [config, place] of [
			["{ retentionDays: 90,\n oops", ":2:"],
			['{ retentionDays: "90" }', ":1:3: retentionDays: Expected a whole number"],
			["{ retentionDay: 90 }", ":1:3: retentionDay: Unknown key, not used. Did you mean retentionDays?"],
		] as const) {
			writeFileSync(file, config);
			expect(await piGeon(home, ["gc"])).toEqual({
				code: 1,
				stdout: "",
				stderr: expect.stringContaining(`pi-geon: Nothing was removed. ${file}${place}`),
			});
			const fixed = await piGeon(home, ["doctor", "--fix", "--json"], { env: { PATH: "/nowhere" } });
			expect(fixed.code).toBe(1);
			expect(JSON.parse(fixed.stdout)).toContainEqual(
				expect.objectContaining({
					check: "disk",
					level: "fail",
					what: expect.stringContaining("Nothing was removed"),
					detail: expect.stringContaining(place),
				}),
			);
			expect((await jsonOf<Listed>(home, ["list"])).count.total).toBe(1);
		}
		// What has nothing to do with it is told, and no reason to stop.
		writeFileSync(file, "{ ui: { widget: 1 } }");
		const told = expect.stringContaining(`pi-geon: error: ${file}:1:9: ui.widget: Expected true or false, not 1.`);
		expect(await piGeon(home, ["list"])).toMatchObject({ code: 0, stderr: told });
		const removed = await piGeon(home, ["gc", "--json"]);
		expect(removed).toMatchObject({ code: 0, stderr: told });
		expect(JSON.parse(removed.stdout)).toMatchObject({ runs: 1, sessions: 1 });
		expect((await jsonOf<Listed>(home, ["list"])).count.total).toBe(0);
	});
});

test("nothing that the command consists of needs pi", () => {
	const seen = new Set<string>();
	const visit = (file: string): void => {
		if (seen.has(file)) return;
		seen.add(file);
		const code = readFileSync(file, "utf8");
		for (const [, specifier = ""] of code.matchAll(/(?<![".])\b(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
			if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
			else expect({ file, specifier }).toEqual({ file, specifier: expect.stringMatching(/^(node:|bun:)/) });
		}
	};
	visit(cliFile());
	expect(seen.size).toBeGreaterThan(5);
});

longTest("packed and installed, `npx pi-geon` is this command", async () => {
	const home = await openHome({});
	const npm = (args: string[], cwd: string) =>
		execFileSync("npm", args, {
			cwd,
			env: { ...home.env, PATH: process.env.PATH ?? "" },
			encoding: "utf8",
			stdio: ["ignore", "pipe", "pipe"],
		});
	const folder = join(home.scratch, "installed");
	mkdirSync(folder);
	writeFileSync(join(folder, "package.json"), "{}");
	npm(["install", "--offline", "--legacy-peer-deps", "--no-audit", packPackage(home)], folder);
	expect(existsSync(join(folder, "node_modules", ".bin", "pi-geon"))).toBe(true);
	expect(npm(["exec", "--offline", "--no", "--", "pi-geon", "--version"], folder)).toMatch(/^\d+\.\d+\.\d+\n$/);
});
