import {
	chmodSync,
	chownSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { newHostId } from "../../src/run/ids.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { processesOf } from "../helpers/leaks.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(process.platform === "win32")("sockets of an agent directory that is too deep go", () => {
	/** The folder around that of the sockets. */
	const placeWith = (runtimeDir: string | undefined): string => {
		vi.stubEnv("XDG_RUNTIME_DIR", runtimeDir);
		return dirname(dirname(placesIn(join("/", "deep".repeat(40))).socket(newHostId())));
	};
	const folder = (mode: number): string => {
		const made = realpathSync(mkdtempSync(join(tmpdir(), "pi-geon-runtime-")));
		onTestFinished(() => rmSync(made, { recursive: true }));
		chmodSync(made, mode);
		return made;
	};

	test("into XDG_RUNTIME_DIR if it is the user's own and closed", () => {
		const runtime = folder(0o700);
		expect(placeWith(runtime)).toBe(runtime);
	});

	test.each([
		["not set", () => undefined],
		["empty", () => ""],
		["relative", () => "run/user"],
		["missing", () => join(folder(0o700), "gone")],
		["open to others", () => folder(0o755)],
		["not a folder", () => "/dev/null"],
	])("into the temp folder if it is %s", (_, runtimeDir) => {
		expect(placeWith(runtimeDir())).toBe(tmpdir());
	});

	test.runIf(userInfo().uid === 0)("into the temp folder if it belongs to another user", () => {
		const runtime = folder(0o700);
		chownSync(runtime, 12345, 12345);
		expect(placeWith(runtime)).toBe(tmpdir());
	});
});

describe.each(somePi(import.meta.url))("on pi %s, what Node compiles for a host", (version) => {
	test("is kept in our own folder, closed to others, and the child's programs do not know of it", async () => {
		const home = await openHome({
			config: { subagents: { allowWrite: true } },
			agents: { "runner.md": agentNamed("runner", "Run it.", "tools: bash") },
			script: dispatch({
				parent: [delegateTo("runner", "Go."), text("Done.")],
				child: ({ lastMessage }) =>
					lastMessage?.role === "tool"
						? finalize(JSON.stringify(lastMessage.content))
						: // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
							toolCall("bash", { command: 'echo "cache=[${NODE_COMPILE_CACHE:-none}]"' }),
			}),
			env: { NODE_COMPILE_CACHE: "" },
		});
		const run = await promptPi(home, "Go.", { version });
		expect(delegations(run)[0]?.finalized?.result).toContain("cache=[none]");
		const { compiled } = placesIn(home.agentDir);
		expect(statSync(compiled).mode & 0o777).toBe(0o700);
		// Node writes it when the host leaves.
		const kept = () => readdirSync(compiled, { recursive: true }).length;
		await expect.poll(kept).toBeGreaterThan(10);
	});
});

describe.each(somePi(import.meta.url))("on pi %s, what saves a host memory", (version) => {
	test.skipIf(process.platform !== "linux")(
		"is in its environment, and not in that of its child's programs",
		async () => {
			const environments = () =>
				processesOf(home).map(({ pid }) => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0"));
			let ofProcesses: string[][] = [];
			const home = await openHome({
				config: { subagents: { allowWrite: true } },
				agents: { "runner.md": agentNamed("runner", "Run it.", "tools: bash") },
				script: dispatch({
					parent: [delegateTo("runner", "Go."), text("Done.")],
					child: ({ lastMessage }) => {
						if (lastMessage?.role === "tool") return finalize(JSON.stringify(lastMessage.content));
						ofProcesses = environments();
						// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
						return toolCall("bash", { command: 'echo "arenas=[${MALLOC_ARENA_MAX:-none}]"' });
					},
				}),
			});
			const run = await promptPi(home, "Go.", { version });
			expect(delegations(run)[0]?.finalized?.result).toContain("arenas=[none]");
			const inHosts = ofProcesses.filter((variables) => variables.includes("PI_SUBAGENT_CHILD=1"));
			expect(inHosts.length).toBeGreaterThan(0);
			for (const variables of inHosts) expect(variables).toContain("MALLOC_ARENA_MAX=1");
		},
	);
});

describe.each(somePi(import.meta.url))("what Node compiles for a host, on pi %s", (version) => {
	test("is kept where the user says, if they say so", async () => {
		const home = await openHome({
			script: dispatch({ parent: [delegateTo("explorer", "Go."), text("Done.")], child: [finalize("Done.")] }),
		});
		mkdirSync(join(home.scratch, "cache"));
		await promptPi(home, "Go.", { version, env: { NODE_COMPILE_CACHE: join(home.scratch, "cache") } });
		expect(readdirSync(join(home.agentDir, "pi-geon"))).not.toContain("compiled");
	});
});
