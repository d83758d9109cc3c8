import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, expect, test } from "vitest";
import type { Examination, Finding } from "../../../src/operate/doctor/check.ts";
import { checkPrograms } from "../../../src/operate/doctor/programs.ts";
import { repositoryRoot } from "../../helpers/repository.ts";

const folders: string[] = [];
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A machine on which fd is this stand-in. */
async function findingsWith(fd: string): Promise<Finding[]> {
	const bin = mkdtempSync(join(tmpdir(), "pg-programs-"));
	folders.push(bin);
	cpSync(join(repositoryRoot, "test", "children", fd), join(bin, "fd"));
	chmodSync(join(bin, "fd"), 0o755);
	mkdirSync(join(bin, "agent"));
	const env = { PATH: [bin, dirname(rgPath), process.env.PATH].join(delimiter) };
	const explorer = { name: "explorer", tools: { kind: "only", names: ["find", "grep"] } };
	const sources = { env, agentDir: join(bin, "agent"), catalog: { agents: [explorer] } };
	const examination = { sources, signal: new AbortController().signal } as unknown as Examination;
	const findings: Finding[] = [];
	for await (const finding of checkPrograms.run(examination)) findings.push(finding);
	return findings;
}

test("rg and fd are run as pi runs them", async () => {
	expect(await findingsWith("fd.sh")).toEqual([
		{ level: "pass", what: "grep works with rg", detail: rgPath },
		{ level: "pass", what: "find works with fd", detail: expect.stringMatching(/fd$/) },
	]);
});

test("an fd that rejects pi's flags is reported, with its message", async () => {
	const [, find] = await findingsWith("old-fd.sh");
	expect(find).toEqual({
		level: "fail",
		what: "pi's find tool does not work with the fd that is installed",
		detail: expect.stringMatching(/fd: error: Found argument '--no-require-git' .*\nUsed by explorer\.$/),
		remedy: "Install a newer fd (fd-find), or remove it and let pi download its own.",
	});
});
