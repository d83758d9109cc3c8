import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, STAGED } from "./repository.ts";

/** Once before all tests: the package as it will be published, and the other pi to try it on. */
export default function setup(): () => void {
	for (const script of ["build.mjs", "fetch-pi.mjs"]) {
		execFileSync(process.execPath, [join(repositoryRoot, "scripts", script)], {
			cwd: repositoryRoot,
			stdio: ["ignore", "ignore", "inherit"],
		});
	}
	// As installed, with no node_modules above it: there pi's packages are pi's own. In the repository they would be a
	// second copy of pi in the same process, and slow.
	const staged = mkdtempSync(join(tmpdir(), "pi-geon-staged-"));
	for (const part of ["dist", "agents", "package.json"]) {
		cpSync(join(repositoryRoot, part), join(staged, part), { recursive: true });
	}
	process.env[STAGED] = staged;
	return () => rmSync(staged, { recursive: true, force: true });
}
