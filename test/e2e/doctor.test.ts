import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, runPi, somePi, startRpc } from "../helpers/pi.ts";
import { usePreparedHome } from "../helpers/prepared-home.ts";
import { type PiVersion, repositoryRoot, stagedPackage } from "../helpers/repository.ts";
import { WITHOUT_NAMESPACES } from "../helpers/run-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const fakeServer = join(repositoryRoot, "test", "lsp", "fixtures", "fake-server.mjs");

interface Visit {
	version?: PiVersion;
	fix?: boolean;
	machine?: readonly string[];
	env?: Record<string, string>;
}

/** What the doctor says, in one line: reports are broken into lines. */
async function doctor(home: Home, { version = "0.87.1", fix = false, env = {}, machine }: Visit = {}): Promise<string> {
	const command = fix ? "/toolkit doctor --fix" : "/toolkit doctor";
	const withFd = { PATH: [folderWithFd(home), home.env.PATH].join(delimiter) };
	const options = { version, env: { ...withFd, ...env }, timeoutMs: 40_000, ...(machine && { machine }) };
	const run = await runPi(home, [...home.extensionArgs, "-p", command], options);
	expect(run.code).toBe(0);
	return run.stdout.replace(/\s+/g, " ");
}

/** There is no fd in any npm package. */
function folderWithFd({ scratch }: Home): string {
	const folder = join(scratch, "bin");
	mkdirSync(folder, { recursive: true });
	cpSync(join(repositoryRoot, "test", "children", "fd.sh"), join(folder, "fd"));
	return folder;
}

const ledgerOf = ({ agentDir }: Home): string => join(agentDir, "pi-geon", "ledger.sqlite");

/** A home in which something was delegated. */
const usedHome = usePreparedHome({
	script: dispatch({
		parent: [toolCall("subagent", { agent: "explorer", task: "Look." }), text("Done.")],
		child: [finalize("Found.")],
	}),
	past: async (home) => void (await runPi(home, [...home.extensionArgs, "-p", "Delegate."])),
});

describe.each(somePi(import.meta.url))("the doctor on pi %s", (version) => {
	test("passes everything where everything is well, and leaves nothing behind", async () => {
		const home = await usedHome();
		const report = await doctor(home, { version });
		expect(report).not.toMatch(/warn |FAIL /);
		expect(report).toContain("Everything works.");
		expect(report).toMatch(/ok web search: web_search asks \w+/);
		expect(report).toMatch(/ok sandbox: The kernel enforces what subagents and their hosts may do \(bwrap \d/);
		expect(report).toMatch(/ok host: A host starts and answers, in \d+ ms/);
		expect(report).toContain("The ledger is intact: 1 run,");
	});
});

describe("the doctor on any pi", () => {
	const version = ANY_PI;

	test("finds several things wrong at once, each with its cause", async () => {
		const home = await openHome({
			config: { subagents: { allowWrit: true } },
			agents: { "broken.md": "---\nname: [\n---\n", "odd.md": agentNamed("odd", "Do.", "tools: read, frobnicate") },
		});
		const report = await doctor(home, { version });
		expect(report).toMatch(/warn configuration: subagents\.allowWrit: .*pi-geon\.json:1:15 → Did you mean allowWrite/);
		expect(report).toMatch(/FAIL agents: .*broken\.md:\d+:\d+/);
		expect(report).toMatch(
			/warn tools: odd gets read, but not everything that it asks for frobnicate was left out: this pi has no/,
		);
	});
});

/** What the doctor says where much is wrong that does not hide anything else: asked once, for the tests of each of it. */
let ofManyWrongs: Promise<string> | undefined;
const reportOfManyWrongs = (): Promise<string> => {
	ofManyWrongs ??= openHome({
		config: {
			agents: { defaults: { subagents: { model: "nobody/nothing", fallbackModels: ["nobody/else"] } } },
			subagents: { hooks: { start: ["no-such-gate"], stop: ["/nowhere/log"] } },
			web: { provider: "brave" },
			lsp: { servers: { mine: { command: ["my-server"], extensions: [".mine"] } } },
		},
		agents: {
			"odd.md": agentNamed("odd", "Do.", "tools: frobnicate"),
			"dear.md": agentNamed("dear", "Do.", "tools: read\nmodel: openai/gpt-4o"),
			"deep.md": agentNamed("deep", "Do.", "tools: read\nthinking: high"),
		},
		files: { ".pi/agents/own.md": agentNamed("own", "Do.") },
	}).then((home) => doctor(home));
	return ofManyWrongs;
};

describe("the doctor names the cause of", () => {
	longTest("a machine on which the kernel enforces nothing, and what would help", async () => {
		const [auto, require] = [
			await openHome({}),
			await openHome({ config: { subagents: { sandbox: { mode: "require" } } } }),
		];
		const because = "bubblewrap cannot make a sandbox here: bwrap: .* must allow user namespaces|allow user namespaces";
		const report = await doctor(auto, { machine: WITHOUT_NAMESPACES });
		expect(report).toMatch(new RegExp(`warn sandbox: The kernel does not enforce .*(${because})`));
		expect(report).toMatch(/ok host: A host starts/);
		expect(await doctor(require, { machine: WITHOUT_NAMESPACES })).toMatch(/FAIL sandbox: Nothing can be delegated/);
		const off = await openHome({ config: { subagents: { sandbox: { mode: "off" } } } });
		expect(await doctor(off)).toContain("ok sandbox: The kernel enforces nothing: subagents.sandbox.mode is off");
	});

	longTest("a ledger that is not a database", async () => {
		const home = await openHome({});
		mkdirSync(join(home.agentDir, "pi-geon"), { mode: 0o700 });
		writeFileSync(ledgerOf(home), "This was never a database. ".repeat(100), { mode: 0o600 });
		const report = await doctor(home);
		expect(report).toMatch(
			/FAIL ledger: The ledger is damaged .*ledger\.sqlite: file is not a database → Move it away/,
		);
		expect(report).toContain("No host was started, because the ledger cannot be used");
		expect(readFileSync(ledgerOf(home), "utf8")).toMatch(/^This was never/);
	});

	longTest("a ledger with a damaged page, which opens like any other", async () => {
		const home = await usedHome();
		inLedger(home, "PRAGMA wal_checkpoint(TRUNCATE)");
		const bytes = readFileSync(ledgerOf(home));
		const [root] = inLedger<{ rootpage: number }>(home, "SELECT rootpage FROM sqlite_schema WHERE name = 'runs_ended'");
		bytes.fill(0xff, ((root?.rootpage ?? 0) - 1) * 4096, (root?.rootpage ?? 0) * 4096);
		writeFileSync(ledgerOf(home), bytes);
		expect(await doctor(home)).toContain("FAIL ledger: The ledger is damaged");
	});

	longTest("a ledger of a newer pi-geon", async () => {
		const home = await usedHome();
		inLedger(home, "PRAGMA user_version = 99");
		expect(await doctor(home)).toMatch(/FAIL ledger: The ledger cannot be opened .*newer pi-geon .*Update pi-geon/);
	});

	longTest("a host that cannot be started", async () => {
		const extension = join((await openHome({})).scratch, "package");
		cpSync(stagedPackage(), extension, { recursive: true });
		writeFileSync(join(extension, "dist", "host.js"), 'throw new Error("broken on purpose");');
		const report = await doctor(await openHome({ extension }));
		expect(report).toMatch(/FAIL host: A host process cannot be started .*broken on purpose/);
	});

	longTest("an agent that names no tool that exists", async () => {
		expect(await reportOfManyWrongs()).toMatch(
			/FAIL tools: odd gets none of the tools .* frobnicate was left out: .*cannot run/,
		);
	});

	longTest("a model that does not exist, and one without credentials", async () => {
		const report = await reportOfManyWrongs();
		expect(report).toContain("warn models: There is no model nobody/nothing agents.defaults.subagents.model");
		expect(report).toMatch(/warn models: The model openai\/gpt-4o has no credentials dear \(.*dear\.md\)/);
		expect(report).toMatch(
			/warn models: There is no model nobody\/else agents\.defaults\.subagents\.fallbackModels .*leave it out/,
		);
	});

	longTest("a thinking level that the model of an agent does not have", async () => {
		expect(await reportOfManyWrongs()).toMatch(
			/warn models: The thinking level high of \S*deep\.md is not available with \S+; off was used instead\. deep → Name/,
		);
	});

	longTest("a hook whose program is not there", async () => {
		const report = await reportOfManyWrongs();
		expect(report).toMatch(/FAIL hooks: The start hook cannot be run: there is no program "no-such-gate" on the PATH/);
		expect(report).toMatch(
			/FAIL hooks: The stop hook cannot be run: \/nowhere\/log is not a program .*Correct subagents\.hooks\.stop/,
		);
	});

	longTest("a model of an extension: whether it loads in a host is tried", async () => {
		const home = await openHome({ moreExtensions: [join(repositoryRoot, "test", "children", "own-provider.ts")] });
		writeFileSync(
			join(home.agentDir, "settings.json"),
			JSON.stringify({ defaultProvider: "elsewhere", defaultModel: "own" }),
		);
		const env = { ELSEWHERE_URL: home.model.baseUrl };
		expect(await doctor(home, { env })).toMatch(/ok models: Subagents can use elsewhere\/own: .*own-provider\.ts/);
		const broken = await doctor(home, { env: { ...env, ELSEWHERE_IN_HOSTS: "throws" } });
		expect(broken).toMatch(/FAIL models: Subagents cannot use elsewhere\/own: .*It does not want to/);
	});

	longTest("no credentials at all", async () => {
		const home = await openHome({});
		writeFileSync(join(home.agentDir, "models.json"), "{}");
		expect(await doctor(home)).toContain("FAIL models: No model has credentials → Log in");
	});

	longTest("agents of a project that is not trusted", async () => {
		const report = await reportOfManyWrongs();
		expect(report).toMatch(/warn trust: This project is not trusted: .*\.pi\/agents → Read them, then trust/);
	});

	longTest("nothing where a file has the name of a folder of agents", async () => {
		const home = await openHome({ files: { ".agents": "Notes.\n" } });
		expect(await doctor(home)).toContain("ok trust: This project brings no agents and no settings of its own");
	});

	longTest("no running host where the only one is that of another doctor", async () => {
		const home = await usedHome();
		inLedger(
			home,
			`INSERT INTO hosts (id, profile, state, pid, socket, lease_until, created_at)
				VALUES ('0badcafe', 'doctor-1', 'ready', ?, ?, ?, 0)`,
			process.pid,
			join(home.agentDir, "pi-geon", "hosts", "0badcafe.sock"),
			Date.now() + 60_000,
		);
		expect(await doctor(home)).toContain("ok hosts: No host is running, and none was left behind");
	});

	longTest("programs that pi's tools need", async () => {
		const report = await doctor(await openHome({}), { env: { PATH: "/nowhere" } });
		expect(report).toMatch(/warn programs: rg is missing, which pi's grep tool needs .*explorer.* → Install ripgrep/);
		expect(report).toMatch(/warn programs: fd is missing, which pi's find tool needs .* → Install fd/);
	});

	longTest("unknown names in the configuration, with those that were meant", async () => {
		const home = await openHome({
			config: {
				subagents: { disabled: ["Explorer", "reviewer", "somebody"] },
				tools: { subagents: { tools: { deny: ["gerp", "Bash", "WebFetch", "subagent", "nothing-like-it"] } } },
			},
		});
		const report = await doctor(home);
		expect(report).toMatch(
			/warn agents: subagents\.disabled names an agent that does not exist here: Explorer \S+ → Did you mean explorer\?/,
		);
		expect(report).toMatch(/does not exist here: somebody \S+ → Correct the name/);
		expect(report).toMatch(/warn tools: tools\.subagents\.tools\.deny: no such tool: gerp \S+ → Did you mean grep\?/);
		expect(report).toMatch(/no such tool: nothing-like-it \S+ → Correct the name, or install/);
		expect(report.match(/that does not exist here|no such tool/g)).toHaveLength(4);
		const allowed = await openHome({ config: { tools: { subagents: { tools: { allow: ["raed", "Grep"] } } } } });
		expect(await doctor(allowed)).toContain("warn tools: tools.subagents.tools.allow: no such tool: raed");
	});

	longTest("a language server that is found, and does not start", async () => {
		const shim = "#!/bin/sh\necho 'error: no toolchain' >&2\nexit 1\n";
		const home = await openHome({});
		const own = join(home.scratch, "shim.sh");
		writeFileSync(own, shim, { mode: 0o755 });
		const log = join(home.scratch, "log");
		const servers = {
			mine: { command: [own], extensions: [".mine"], needsTrust: false },
			sound: { command: [process.execPath, fakeServer, "stubborn", log], extensions: [".sound"], needsTrust: false },
			unknown: { command: [own], extensions: [".unknown"] },
		};
		writeFileSync(join(home.agentDir, "pi-geon.json"), JSON.stringify({ lsp: { servers } }));
		// As a toolchain brings it without the server behind it.
		writeFileSync(join(folderWithFd(home), "gopls"), shim, { mode: 0o755 });
		const report = await doctor(home);
		expect(report).toMatch(
			/warn language servers: The language server mine is installed, but does not start mine failed: it ended with exit code 1, saying: error: no toolchain/,
		);
		expect(report).toMatch(/ok language servers: Language servers? starts? [^→]*sound/);
		expect(report).toContain("found, not started, because this project is not trusted: unknown may run code");
		expect(report).toMatch(/does not start, and is not needed here: gopls \(gopls failed/);
		expect(readFileSync(log, "utf8")).not.toContain("initialized");
		writeFileSync(join(home.project, "go.mod"), "module example.org/m\n");
		expect(await doctor(home)).toContain(
			"warn language servers: The language server gopls is installed, but does not start",
		);
	});

	longTest("a search provider without a key, and a language server that is not installed", async () => {
		const report = await reportOfManyWrongs();
		expect(report).toMatch(/warn web search: web\.provider is brave, which has no key .*→ Set BRAVE_API_KEY/);
		expect(report).toContain("warn language servers: The language server mine of lsp.servers is not installed");
	});
});

/** The one that the doctor tried has gone, and with it the files that it kept open. */
const allHostsLeft = (home: Home) => eventually(() => expect(hostPids(home)).toEqual([]));

describe("what the doctor can put right with --fix", () => {
	test("files that others may read", async () => {
		const home = await usedHome();
		chmodSync(ledgerOf(home), 0o644);
		expect(await doctor(home)).toMatch(
			/warn file permissions: Other users of this machine can read 1 of your files .*ledger\.sqlite/,
		);
		// Opening the ledger takes them away too, so another file shows who did it.
		const log = join(home.agentDir, "pi-geon", "parent.log");
		await allHostsLeft(home);
		chmodSync(log, 0o666);
		expect(await doctor(home, { fix: true })).toContain(
			"ok file permissions: Other users of this machine can read 1 of your files",
		);
		expect(statSync(log).mode & 0o777).toBe(0o600);
	});

	longTest("a dead host that the ledger still counts on, and a socket without a listener", async () => {
		const home = await usedHome();
		const stray = join(home.agentDir, "pi-geon", "hosts", "0badf00d.sock");
		writeFileSync(stray, "", { mode: 0o600 });
		inLedger(
			home,
			`INSERT INTO hosts (id, profile, state, pid, pid_started, socket, lease_until, created_at)
				VALUES ('deadbeef', 'x', 'ready', 1, 'another time', ?, ?, 0)`,
			join(home.agentDir, "pi-geon", "hosts", "deadbeef.sock"),
			Date.now() + 60_000,
		);
		const before = await doctor(home);
		expect(before).toMatch(/warn hosts: Host deadbeef is dead, and the ledger does not know it yet .*--fix/);
		expect(before).toMatch(/warn hosts: A socket was left behind .*0badf00d\.sock/);
		expect(before).toContain("2 warnings. --fix fixes 2 of them.");
		expect(existsSync(stray)).toBe(true);
		expect(await doctor(home, { fix: true })).toContain("Everything works.");
		expect(existsSync(stray)).toBe(false);
		expect(inLedger(home, "SELECT state FROM hosts WHERE id = 'deadbeef'")).toEqual([{ state: "gone" }]);
		await allHostsLeft(home);
		expect(await doctor(home)).toContain("No host is running, and none was left behind");
	});

	longTest("a host that hangs, and was given up on", async () => {
		const parent = [toolCall("sessions_spawn", { agent: "explorer", task: "Look." }), text("Spawned.")];
		const home = await openHome({
			script: dispatch({ parent, child: () => hang() }),
			env: { PI_GEON_HOST_IDLE_MS: "60000" },
		});
		const rpc = startRpc(home);
		await rpc.promptAndSettle("Spawn.");
		await eventually(() => expect(home.model.requests.some(({ isChild }) => isChild)).toBe(true));
		const [pid = 0] = hostPids(home);
		await rpc.close();
		process.kill(pid, "SIGSTOP");
		try {
			expect(await doctor(home)).toMatch(new RegExp(`warn hosts: Host \\w+ \\(process ${pid}\\) does not answer`));
			inLedger(home, "UPDATE runs SET state = 'ended', ended_at = 1, delivery = 'skipped', outcome = '{}'");
			inLedger(home, "UPDATE hosts SET state = 'gone'");
			const report = await doctor(home, { fix: true });
			expect(report).toMatch(
				new RegExp(`ok hosts: Process ${pid} is host \\w+, which other processes have given up on`),
			);
			await eventually(() => expect(hostPids(home)).not.toContain(pid));
		} finally {
			if (hostPids(home).includes(pid)) process.kill(pid, "SIGCONT");
		}
	});
});

longTest("a word that the doctor does not know is an error, and nothing is done", async () => {
	const home = await openHome({ untouched: true });
	const run = await runPi(home, [...home.extensionArgs, "-p", "/toolkit doctor --fxi"]);
	expect(run.stderr).toContain('takes --fix, not "--fxi"');
	expect(run.code).toBe(1);
	expect(existsSync(join(home.agentDir, "pi-geon"))).toBe(false);
});

longTest.each(somePi(import.meta.url))(
	"a session that is left while the doctor is running hears no more of it, on pi %s",
	async (version) => {
		const rpc = startRpc(await openHome({ script: dispatch({ parent: [], child: [] }) }), { version });
		const visit = rpc.prompt("/toolkit doctor");
		await rpc.waitForEvent((event) => event.type === "extension_ui_request" && event.method === "setStatus");
		await rpc.send({ type: "new_session" });
		await visit;
		expect(rpc.events.filter(({ type }) => type === "extension_error")).toEqual([]);
	},
);
