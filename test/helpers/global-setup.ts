import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

/** Once before all tests: the extension as it will be published, and the other pi to try it on. */
export default function setup(): void {
	for (const script of ["build.mjs", "fetch-pi.mjs"]) {
		execFileSync(process.execPath, [join(repositoryRoot, "scripts", script)], {
			cwd: repositoryRoot,
			stdio: ["ignore", "ignore", "inherit"],
		});
	}
}
