import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error: a plain script, as the build is
import { stage } from "../../scripts/stage.mjs";
import { repositoryRoot } from "./repository.ts";

/**
 * The package built and laid out as it is published, with no node_modules above it: there pi's packages are pi's own. In
 * the repository they would be a second copy of pi in the same process, and slow.
 */
export function stagePackage(): { path: string; remove: () => void } {
	const build = join(repositoryRoot, "scripts", "build.mjs");
	// `npm test` has just built it.
	if (process.env.PI_GEON_BUILT !== "1")
		execFileSync(process.execPath, [build], { stdio: ["ignore", "ignore", "inherit"] });
	const path = mkdtempSync(join(tmpdir(), "pi-geon-staged-"));
	// Some tests run pi as another user.
	chmodSync(path, 0o755);
	stage(path);
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
