import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCheckout } from "./checkout.ts";
import { measureBefore } from "./snapshot.ts";
import { TreeRefused } from "./tree-refused.ts";

interface TreeLike {
	maxFiles: number;
	maxBytes: number;
	link: readonly string[];
	submodules: "warn" | "refuse";
}

/** Why no tree can be made of a directory now; undefined if one can. Asked before a run exists. */
export async function treeTrouble(
	cwd: string,
	{ link, submodules, ...limits }: TreeLike,
	secret: readonly string[],
): Promise<Pick<TreeRefused, "reason" | "message"> | undefined> {
	// A folder without git has no repository to count with.
	const scratch = mkdtempSync(join(tmpdir(), "pi-geon-measure-"));
	try {
		await measureBefore({ checkout: await findCheckout(cwd, { secret }), limits, link, submodules }, scratch);
		return undefined;
	} catch (error) {
		if (error instanceof TreeRefused) return { reason: error.reason, message: error.message };
		throw error;
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}
