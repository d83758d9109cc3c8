import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ANSWERS_WITHIN_MS = 10_000;
const FILE = "pi-geon-was-here.txt";

/** How pi's tools call their programs, for a folder with one file in it. */
const CALLS_OF_PI = {
	// pi passes --no-require-git only outside a git repository, and older releases of fd reject it.
	find: (folder: string) => [
		...["--glob", "--color=never", "--hidden", "--no-require-git"],
		...["--max-results", "10", "--", "*.txt", folder],
	],
	grep: (folder: string) => ["--json", "--line-number", "--color=never", "--hidden", "--", "was here", folder],
} as const;

/** Lets a program find a file as pi's tool would. Returns why it could not; undefined on success. */
export async function whyToolFails(
	tool: keyof typeof CALLS_OF_PI,
	program: string,
	{ env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string | undefined> {
	const folder = mkdtempSync(join(tmpdir(), "pi-geon-doctor-"));
	try {
		writeFileSync(join(folder, FILE), "The doctor was here.\n");
		const { error, stdout, stderr } = await ran(program, CALLS_OF_PI[tool](folder), { env, signal });
		const said = stderr.trim().split("\n")[0] ?? "";
		if (error) return said === "" ? error.message.split("\n")[0] : said;
		return stdout.includes(FILE) ? undefined : "It ran, but did not find a file that exists.";
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function ran(program: string, args: string[], { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal }) {
	return new Promise<{ error: Error | null; stdout: string; stderr: string }>((resolve) => {
		execFile(program, args, { env, signal, timeout: ANSWERS_WITHIN_MS }, (error, stdout, stderr) =>
			resolve({ error, stdout, stderr }),
		);
	});
}
