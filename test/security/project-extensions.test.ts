import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Step, text, toolCall } from "../helpers/model-steps.ts";
import { type piVersions, promptPi, somePi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { checkOut, hostileBranch } from "./hostile-repository.ts";

/** `pi -e ./ext.ts` in a folder that nobody has decided about, and a branch with another ext.ts. */

const openHome = useHome();
const OWN = readFileSync(join(repositoryRoot, "test", "children", "own-provider.ts"), "utf8");
const markOf = (home: Home): string => join(home.scratch, "changed-extension-ran");
const changed = (home: Home): string =>
	`import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(markOf(home))}, process.argv.join(" "));\n${OWN}`;

const spawnGeneral = toolCall("sessions_spawn", { task: "Look." });
const ELSEWHERE = ["--model", "elsewhere/own"];

async function openProject(steps: Step[], files: Record<string, string> = { "ext.ts": OWN }): Promise<Home> {
	return openHome({
		// In a sandbox an extension that is loaded could leave no mark.
		config: { subagents: { allowWrite: true, sandbox: { mode: "off" } } },
		files,
		script: dispatch({ parent: [...steps, text("Done."), text("Done.")], child: () => finalize("Seen.") }),
	});
}

const go = (
	home: Home,
	version: (typeof piVersions)[number],
	{ args = [], ext = "ext.ts" }: { args?: string[]; ext?: string } = {},
) =>
	promptPi(home, "Go.", {
		version,
		args: ["-e", join(home.project, ext), ...args],
		env: { ELSEWHERE_URL: home.model.baseUrl },
	});

const toolsOfChildren = (home: Home): boolean[] =>
	home.model.requests.filter(({ isChild }) => isChild).map(({ tools }) => tools.includes("elsewhere_tool"));

describe.each(somePi(import.meta.url))("an extension of an untrusted project, on pi %s", (version) => {
	test("is not loaded for its model once a branch has changed it", async () => {
		const home = await openProject([checkOut("hostile"), delegateTo("explorer", "Look.")]);
		hostileBranch(home, { "ext.ts": changed(home) });
		const run = await go(home, version, { args: ELSEWHERE });
		expect(existsSync(markOf(home))).toBe(false);
		expect(delegations(run)[0]?.error?.message).toMatch(
			/ext\.ts lies in this project, which is not trusted \(\/trust\)/,
		);
	});

	test("is loaded while it is what pi loaded", async () => {
		const home = await openProject([spawnGeneral, delegateTo("explorer", "Look.")]);
		const run = await go(home, version, { args: ELSEWHERE });
		expect(delegations(run).at(-1)?.finalized, run.stderr).toMatchObject({ status: "SUCCESS" });
		expect(toolsOfChildren(home)).toContain(true);
	});
});

describe.each(somePi(import.meta.url))("an extension of an untrusted project, on pi %s", (version) => {
	test("nor for its tools", async () => {
		const home = await openProject([checkOut("hostile"), spawnGeneral]);
		hostileBranch(home, { "ext.ts": changed(home) });
		await go(home, version);
		expect(existsSync(markOf(home))).toBe(false);
		expect(toolsOfChildren(home)).not.toContain(true);
	});

	test("nor if the branch changed what it imports", async () => {
		const home = await openProject([checkOut("hostile"), spawnGeneral], {
			"part.ts": OWN,
			"ext.ts": 'export { default } from "./part.ts";\n',
		});
		hostileBranch(home, { "part.ts": changed(home) });
		await go(home, version);
		expect(home.model.requests.some(({ isChild }) => isChild)).toBe(true);
		expect(existsSync(markOf(home))).toBe(false);
	});

	test("nor if it is reached through a link", async () => {
		const home = await openProject([checkOut("hostile"), spawnGeneral]);
		hostileBranch(home, { "ext.ts": changed(home) });
		symlinkSync(join(home.project, "ext.ts"), join(home.scratch, "link.ts"));
		await go(home, version, { ext: "../link.ts" });
		expect(home.model.requests.some(({ isChild }) => isChild)).toBe(true);
		expect(existsSync(markOf(home))).toBe(false);
	});

	test("is loaded as it is now if the project is trusted", async () => {
		const home = await openProject([checkOut("hostile"), delegateTo("explorer", "Look.")]);
		hostileBranch(home, { "ext.ts": changed(home) });
		const run = await go(home, version, { args: [...ELSEWHERE, "--approve"] });
		expect(delegations(run)[0]?.finalized, run.stderr).toMatchObject({ status: "SUCCESS" });
		expect(existsSync(markOf(home))).toBe(true);
	});
});
