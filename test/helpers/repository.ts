import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rgPath } from "@vscode/ripgrep";
// @ts-expect-error: a plain script that runs before TypeScript is installed
import { pi15Path } from "../../scripts/fetch-pi.mjs";
import { isShare } from "./share.ts";

export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The variable that tells where the package under test was laid out. */
export const STAGED = "PI_GEON_STAGED";
export const stagedPackage = (): string => process.env[STAGED] ?? repositoryRoot;

/** As users have it: loading the sources takes several times as long. */
export const convertWorker = (): URL => pathToFileURL(join(stagedPackage(), "dist", "chunks", "web-convert.js"));

export const toolFolders = [join(repositoryRoot, "node_modules", ".bin"), dirname(rgPath)];

export type PiVersion = "0.87.1" | "1.5.0";
/** In tests whose runs go through a pool, see test/pool/through: the pi at both ends. */
export const THROUGH_POOL = process.env.PI_GEON_TEST_THROUGH_POOL as PiVersion | undefined;
export const piVersions: readonly PiVersion[] = THROUGH_POOL ? [THROUGH_POOL] : ["0.87.1", "1.5.0"];
/** For behaviour that no version of pi changes. */
export const ANY_PI: PiVersion = THROUGH_POOL ?? "0.87.1";

/**
 * For behaviour that should not depend on the version of pi: both versions, but only one in `npm test`. Half of the
 * files use one version, half the other, always the same. If the version is known to matter, use `piVersions`.
 */
export function somePi(testFile: string): readonly PiVersion[] {
	const letters = [...basename(testFile)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
	return isShare ? piVersions.slice(letters % 2, (letters % 2) + 1) : piVersions;
}

const installedPi = join(repositoryRoot, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

export const cliOf = (version: PiVersion): string => (version === "0.87.1" ? installedPi : (pi15Path() as string));
