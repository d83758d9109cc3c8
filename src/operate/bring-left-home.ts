import { homedir } from "node:os";
import { dirname } from "node:path";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import type { RunRecord } from "../ledger/records.ts";
import { foldersOfOurs, treesRoot } from "../plan/session-place.ts";
import { messageOf } from "../run/message-of.ts";
import { withProgramsInRing } from "../sandbox/programs-in-ring.ts";
import { TREE_LIMITS } from "../trees/measure.ts";
import { bringHome } from "../trees/tree-of-run.ts";

/** Brings home the changes of a run whose host died before it could. Returns why that failed; undefined on success. */
export async function bringLeftHome(
	{ run, plan }: RunRecord,
	{ ledger, places }: { ledger: Ledger; places: Places },
): Promise<string | undefined> {
	const agentDir = dirname(places.dir);
	const place = { ledger, places, root: treesRoot(agentDir, homedir()) };
	const hidden = [...(plan.sandbox?.hide ?? []), ...foldersOfOurs(agentDir, homedir())];
	try {
		const home = await withProgramsInRing({ scratch: places.scratch, hidden }, (inRing) =>
			bringHome(place, run.id, { limits: plan.tree ?? TREE_LIMITS, inRing }),
		);
		return home && "notHarvested" in home ? home.notHarvested : undefined;
	} catch (error) {
		return messageOf(error);
	}
}
