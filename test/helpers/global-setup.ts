import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot, STAGED } from "./repository.ts";
import { stagePackage } from "./staged-package.ts";

/** Once before all tests: the package as it will be published, and the other pi to try it on. */
export default function setup(): (() => void) | undefined {
	// Each project of vitest.config.ts asks for it.
	if (process.env[STAGED] !== undefined) return undefined;
	for (const script of ["fetch-pi.mjs", "fetch-typescript.mjs"]) {
		execFileSync(process.execPath, [join(repositoryRoot, "scripts", script)], {
			cwd: repositoryRoot,
			stdio: ["ignore", "ignore", "inherit"],
		});
	}
	const staged = stagePackage();
	process.env[STAGED] = staged.path;
	return staged.remove;
}
