import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { conversation, dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi, somePi } from "../helpers/pi.ts";
import { repositoryRoot, stagedPackage } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { TRUTH } from "./truth-projects.ts";

const openHome = useHome();
const probe = join(dirname(fileURLToPath(import.meta.url)), "fixtures", "probe.ts");
const files = {
	"tsconfig.json": "{}",
	"src/auth.ts": "export function authenticate() {}\n",
	"src/app.ts": 'import { authenticate } from "./auth";\n\tauthenticate();\n',
};
const whereIs = toolCall("lsp", { action: "definition", file: "src/app.ts", line: 2, query: "authenticate" });
const answer = "src/auth.ts:1:17  export function authenticate() {}";

/** The one entry, without the rest of the package. */
const entry = join(stagedPackage(), "dist", "lsp.js");

const declaration = (request: { raw: { tools?: readonly object[] } } | undefined) =>
	(request?.raw.tools ?? []).find((tool) => JSON.stringify(tool).includes('"name":"lsp"'));

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a parent that did not enable it has nothing about it in its prompt, but knows where it is", async () => {
		const home = await openHome({ extension: entry, moreExtensions: [probe], script: () => "Hello." });
		const file = join(home.scratch, "probe.json");
		const run = await promptPi(home, "Hi.", { version, env: { PROBE: file } });
		expect(run.stderr).toBe("");
		expect(home.model.requests).toHaveLength(1);
		expect(home.model.requests[0]?.tools).not.toContain("lsp");
		// Wherever this repository is, its folder may be called so.
		const asked = JSON.stringify(home.model.requests[0]?.raw).replaceAll(repositoryRoot, "");
		expect(asked).not.toMatch(/lsp/i);
		const { path, active } = JSON.parse(readFileSync(file, "utf8")) as { path: string; active: string[] };
		expect(path).toBe(entry);
		expect(active).not.toContain("lsp");
	});

	test("a parent that enabled it uses it, and nothing is left running", async () => {
		const home = await openHome({
			...{ extension: entry, files, config: { lsp: { enabled: true } } },
			script: conversation([whereIs, text("Done.")]),
		});
		const run = await promptPi(home, "Where?", { version });
		expect(run.stderr).toBe("");
		expect(run.toolResults).toMatchObject([{ name: "lsp", text: answer, isError: false }]);
		expect(run.toolResults[0]?.details).toMatchObject({ action: "definition", total: 1 });
		expect(JSON.stringify(declaration(home.model.requests[0]))).toContain("rename");
	});

	test("an explorer in a fresh host asks once, and knows all references of a monorepo", async () => {
		const [project] = TRUTH;
		const [{ request, truth } = {}] = project?.questions ?? [];
		const whoCalls = toolCall("lsp", { ...request });
		const home = await openHome({
			files: project?.files ?? {},
			script: dispatch({
				parent: [delegateTo("explorer", "Who calls priceOf?"), text("Done.")],
				child: ({ turn, toolResults }) => (turn === 0 ? whoCalls : finalize(toolResults[0]?.text ?? "")),
			}),
		});
		mkdirSync(join(home.project, "node_modules", "@acme"), { recursive: true });
		symlinkSync("../../packages/core", join(home.project, "node_modules", "@acme", "core"));
		const run = await promptPi(home, "Who?", { version });
		const { result } = delegations(run)[0]?.finalized ?? {};
		expect(String(result).match(/^\S+:\d+:\d+/gm), run.stderr).toEqual(truth);
		const [parent, child] = home.model.requests;
		expect(parent?.tools).not.toContain("lsp");
		expect([...(child?.tools ?? [])].sort()).toEqual(["find", "grep", "ls", "lsp", "read", "subagent_finalize"]);
	});
});

describe("on any pi", () => {
	const version = ANY_PI;

	test("inside a subagent it is short and read-only, whatever the configuration and the model say", async () => {
		const rename = { action: "rename", file: "src/auth.ts", query: "authenticate", newName: "x" };
		const home = await openHome({
			...{ extension: entry, files, config: { lsp: { allowMutatingActions: true } } },
			script: conversation([toolCall("lsp", rename), text("Done.")]),
		});
		const run = await promptPi(home, "Rename.", { version, env: { PI_SUBAGENT_CHILD: "1" } });
		expect(run.toolResults).toMatchObject([{ name: "lsp", isError: true }]);
		expect(readFileSync(join(home.project, "src/auth.ts"), "utf8")).toBe(files["src/auth.ts"]);
		const declared = JSON.stringify(declaration(home.model.requests[0]));
		expect(declared).not.toMatch(/rename|codeAction|restart|newName/);
		expect(declared.length).toBeLessThan(900);
	});

	test("it is there when asked for by name, and runs programs of the project only by decision", async () => {
		const home = await openHome({
			...{ extension: entry, files: { "node_modules/.bin/gopls": "#!/bin/sh\n" } },
			script: conversation([toolCall("lsp", { action: "servers", server: "gopls" }), text("Done.")]),
		});
		chmodSync(join(home.project, "node_modules/.bin/gopls"), 0o755);
		const ask = async (...args: string[]) => {
			// Whatever the machine has installed is not found.
			const options = { version, args: ["--tools", "read,lsp", ...args], env: { PATH: "/nowhere" } };
			return (await promptPi(home, "Which?", options)).toolResults[0]?.text;
		};
		expect(await ask()).toContain("not usable. gopls: `gopls` is neither on the PATH nor in the usual places");
		expect(await ask("--approve")).toBe(`gopls (.go): ${home.project}/node_modules/.bin/gopls`);
	});
});

test("two children share one server, which ends with their host", async () => {
	const pidOf = (said: string) => /typescript .*\n {2}running in \.: pid (\d+)/.exec(said)?.[1];
	const home = await openHome({
		files,
		script: dispatch({
			parent: [[delegateTo("explorer", "One."), delegateTo("explorer", "Two.")], text("Done.")],
			child: ({ turn, toolResults }) =>
				[whereIs, toolCall("lsp", { action: "servers" })][turn] ??
				finalize(pidOf(toolResults[1]?.text ?? "") ?? "none"),
		}),
	});
	const run = await promptPi(home, "Go.");
	const [one, two] = delegations(run).map(({ finalized }) => finalized?.result);
	expect(one).toMatch(/^\d+$/);
	expect(two).toBe(one);
});

test("a pi that is killed takes its servers along", async () => {
	const killed = new AbortController();
	const home = await openHome({
		...{ extension: entry, files, config: { lsp: { enabled: true } } },
		script: ({ turn }) => (turn === 0 ? whereIs : [() => killed.abort(), hang()]),
	});
	const run = await promptPi(home, "Where?", { signal: killed.signal });
	expect(run.signal).toBe("SIGKILL");
	expect(run.toolResults[0]?.text).toBe(answer);
});

test("a changing action is a diff unless the user allowed it", async () => {
	const rename = toolCall("lsp", { action: "rename", file: "src/auth.ts", query: "authenticate", newName: "logIn" });
	const script = conversation([rename, text("Done.")]);
	const shown = await openHome({ extension: entry, files, script, config: { lsp: { enabled: true } } });
	const [refused] = (await promptPi(shown, "Rename.")).toolResults;
	expect(refused?.text).toMatch(/NOT applied.*\+export function logIn\(\) \{\}/s);
	expect(readFileSync(join(shown.project, "src/auth.ts"), "utf8")).toBe(files["src/auth.ts"]);

	const config = { lsp: { enabled: true, allowMutatingActions: true } };
	const allowed = await openHome({ extension: entry, files, script, config });
	const [applied] = (await promptPi(allowed, "Rename.")).toolResults;
	expect(applied?.text).toContain("applied to src/");
	expect(readFileSync(join(allowed.project, "src/app.ts"), "utf8")).toContain("\tlogIn();");
});
