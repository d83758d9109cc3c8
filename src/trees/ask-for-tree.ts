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

/** Where a directory would be in a tree, or why no tree can be made of it now. Asked before a run exists. */
export async function treeOf(
	cwd: string,
	{ link, submodules, ...limits }: TreeLike,
	secret: readonly string[],
): Promise<{ prefix: string } | Pick<TreeRefused, "reason" | "message">> {
	// A folder without git has no repository to count with, so it gets a temporary one.
	const scratch = mkdtempSync(join(tmpdir(), "pi-geon-measure-"));
	try {
		const checkout = await findCheckout(cwd, { secret });
		await measureBefore({ checkout, limits, link, submodules }, scratch);
		return { prefix: checkout.prefix };
	} catch (error) {
		if (error instanceof TreeRefused) return { reason: error.reason, message: error.message };
		throw error;
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}
