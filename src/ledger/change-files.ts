import { join } from "node:path";
import type { RunId } from "../run/ids.ts";
import type { Places } from "./places.ts";

/** The files that hold the changes of a run. */
export const changeFiles = ({ changes }: Pick<Places, "changes">, runId: RunId) => ({
	patch: join(changes, `${runId}.patch`),
	bundle: join(changes, `${runId}.bundle`),
	/** A folder for checking them. */
	scratch: join(changes, `${runId}.check`),
	/** What the checkout had before they were applied. */
	applied: join(changes, `${runId}.applied`),
});
