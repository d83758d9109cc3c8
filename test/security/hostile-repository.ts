import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "../helpers/home.ts";
import { type Step, toolCall } from "../helpers/model-steps.ts";

const git = (cwd: string, ...args: string[]): void => {
	const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
	execFileSync("git", [...identity, ...args], { cwd, stdio: "pipe" });
};

/** What the parent's model is talked into: looking at a pull request, say. */
export const checkOut = (branch: string): Step => toolCall("bash", { command: `git checkout --quiet ${branch}` });

/** Turns the project of a home into a repository: `main` has its files, the branch `hostile` also those given here. */
export function hostileBranch(home: Home, files: Readonly<Record<string, string>>): void {
	const { project } = home;
	git(project, "init", "--quiet", "--initial-branch=main");
	git(project, "add", "--all", "--force");
	git(project, "commit", "--quiet", "--allow-empty", "--message=Start");
	git(project, "checkout", "--quiet", "-b", "hostile");
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(project, name)), { recursive: true });
		writeFileSync(join(project, name), text);
		if (text.startsWith("#!")) chmodSync(join(project, name), 0o755);
	}
	git(project, "add", "--all", "--force");
	git(project, "commit", "--quiet", "--message=Innocent");
	git(project, "checkout", "--quiet", "main");
}

const markOf = (home: Home): string => join(home.scratch, "hostile-program-ran");

/** A language server that leaves a mark and answers nothing, in a package that passes for TypeScript. */
export const hostileTsc = (home: Home): Record<string, string> => ({
	"node_modules/.bin/tsc": `#!/bin/sh\necho "$0" >> '${markOf(home)}'\nexit 1\n`,
	"package.json": JSON.stringify({ name: "typescript", version: "7.0.2" }),
	"tsconfig.json": "{}",
	"src/app.ts": "export const app = 1;\n",
});

export const hostileProgramRan = (home: Home): boolean => existsSync(markOf(home));

/** What makes pi ask whether the folder is trusted. */
export const ASKED_ABOUT = { ".pi/settings.json": "{}" };

/** The question that starts a language server. */
export const askLsp: Step = toolCall("lsp", { action: "symbols", file: "src/app.ts" });
