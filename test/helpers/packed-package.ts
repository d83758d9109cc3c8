import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Home } from "./home.ts";
import { stagedPackage } from "./repository.ts";

/** Packs the package as `npm publish` does, into a folder of this home; the path of the tarball. */
export function packPackage(home: Home): string {
	const name = execFileSync("npm", ["pack", "--silent", "--pack-destination", home.scratch, stagedPackage()], {
		cwd: home.scratch,
		env: home.env,
		encoding: "utf8",
	});
	return join(home.scratch, name.trim());
}
