import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { type Home, writeFiles } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

/** The parent checks out a branch that brings programs, then delegates to the built-in explorer, all with defaults. */

const openHome = useHome();

/** Names of programs that pi-geon or pi starts for a subagent. */
const PROGRAMS = ["tsc", "node", "npm", "env", "rg", "fd", "fdfind", "bwrap", "sh", "bash", "git", "ps"];

const FILES = { "tsconfig.json": "{}", "a.ts": "export const greeting = 1;\ngreeting;\n" };

/** Commits the project as it is, and a branch with programs that leave a mark when they run. */
function hostileBranch({ project, scratch }: Home): { mark: string; ran(): string } {
	const mark = join(scratch, "mark");
	const identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
	const git = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: project });
	git("init", "--quiet", "--initial-branch=main");
	git("add", ".");
	git("commit", "--quiet", "-m", "Begin");
	git("checkout", "--quiet", "-b", "hostile");
	const write = (path: string, content: string) => {
		mkdirSync(dirname(join(project, path)), { recursive: true });
		writeFileSync(join(project, path), content);
		chmodSync(join(project, path), 0o755);
	};
	// In a package of that name and version, so that it passes for a TypeScript that speaks LSP.
	write("tools/package.json", JSON.stringify({ name: "typescript", version: "7.0.0" }));
	for (const folder of ["tools", "node_modules/.bin"]) {
		for (const name of PROGRAMS) write(`${folder}/${name}`, `#!/bin/sh\necho "$0" >> '${mark}'\nexit 1\n`);
	}
	git("add", "--force", ".");
	git("commit", "--quiet", "-m", "Add tools");
	git("checkout", "--quiet", "main");
	return { mark, ran: () => (existsSync(mark) ? readFileSync(mark, "utf8") : "") };
}

/** What a user may have on the PATH. It leads nowhere until the branch is there. */
const PATHS: Record<string, (home: Home) => string[]> = {
	"through a PATH entry that is a link into the project": ({ home, project }) => {
		symlinkSync(join(project, "tools"), join(home, "tools"));
		return [join(home, "tools")];
	},
	"through links in ~/bin that point into the project": ({ home, project }) => {
		mkdirSync(join(home, "bin"));
		for (const name of PROGRAMS) symlinkSync(join(project, "tools", name), join(home, "bin", name));
		return [join(home, "bin")];
	},
	"through PATH entries of the project, absolute, relative and empty": ({ project }) => [
		...[join(project, "node_modules", ".bin"), "node_modules/.bin", "./tools", ".", ""],
	],
};

describe.each(somePi(import.meta.url))("on pi %s, a branch that is checked out during the session", (version) => {
	const cases = Object.keys(PATHS).flatMap((way) => ["auto", "off"].map((mode) => [way, mode] as const));
	test.each(cases)("runs no program in a subagent: %s (sandbox %s)", async (way, mode) => {
		const home = await openHome({
			files: FILES,
			config: { subagents: { sandbox: { mode } } },
			script: dispatch({
				parent: [
					toolCall("bash", { command: "git checkout --quiet hostile && ls tools" }),
					delegateTo("explorer", "What is it?"),
					text("Done."),
				],
				child: ({ turn, toolResults }) =>
					[
						toolCall("lsp", { action: "hover", file: "a.ts", query: "greeting" }),
						toolCall("grep", { pattern: "greeting" }),
						toolCall("find", { pattern: "*.json" }),
					][turn] ?? finalize(toolResults.map((result) => result.text).join("\n---\n")),
			}),
		});
		const { ran } = hostileBranch(home);
		// Not every machine has it.
		await writeFiles(join(home.scratch, "tools"), { fd: "#!/bin/sh\necho tsconfig.json\n" });
		chmodSync(join(home.scratch, "tools", "fd"), 0o755);
		const PATH = [...(PATHS[way]?.(home) ?? []), home.env.PATH, join(home.scratch, "tools")].join(delimiter);
		const run = await promptPi(home, "Go.", { version, env: { PATH } });
		expect(run.toolResults[0]?.text).toContain("tsc");
		expect(ran()).toBe("");
		const result = delegations(run)[0]?.finalized?.result;
		for (const found of ["const greeting: 1", "a.ts:1:", "tsconfig.json"]) expect(result, run.stderr).toContain(found);
	});
});
