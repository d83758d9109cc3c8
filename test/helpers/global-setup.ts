import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot, STAGED } from "./repository.ts";
import { isShare } from "./share.ts";
import { stagePackage } from "./staged-package.ts";
import { warmCaches } from "./warm-caches.ts";

/** Once before all tests: the package as it will be published, and the other pi to try it on. */
export default async function setup(): Promise<(() => void) | undefined> {
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
	// It takes longer than it saves where vitest runs a few files.
	if (!isShare) return staged.remove;
	const removeCaches = await warmCaches();
	return () => {
		removeCaches();
		staged.remove();
	};
}
