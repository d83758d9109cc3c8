import { hasPlace } from "../ledger/claim.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import { isOfPool } from "../ledger/profile-key.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { waitsForSession } from "../ledger/sessions.ts";
import { findUnreadable, unreadableMessage } from "../ledger/unreadable.ts";
import type { RunId } from "../run/ids.ts";
import type { Calls } from "./calls.ts";
import type { RunAction } from "./decide.ts";
import type { Hosts } from "./hosts.ts";
import type { WatchedRuns } from "./watched-runs.ts";

/** What a parent acts with: its callers, the runs that it listens to, and the hosts. */
export interface Acting {
	ledger: Ledger;
	calls: Calls;
	watched: WatchedRuns;
	hosts: Hosts | undefined;
}

/** The runs that the actions refer to, as this look found them. */
export interface FoundRuns {
	open: ReadonlyMap<RunId, OpenRun>;
	ended: ReadonlyMap<RunId, EndedRecord>;
}

/** Does what was decided about one run. */
export function actOnRun({ ledger, calls, watched, hosts }: Acting, action: RunAction, found: FoundRuns): void {
	switch (action.do) {
		case "answer":
			calls.answer(action.caller.id, found.ended.get(action.caller.runId));
			break;
		case "fail":
			calls.fail(action.caller.id, new RunForgotten(ledger, action.caller.runId));
			break;
		case "let leave":
			calls.answer(action.caller.id, undefined);
			break;
		case "tell place": {
			const { runId, id } = action.caller;
			const sessionBusy = waitsForSession(ledger, runId);
			const run = found.open.get(runId);
			const starting = !sessionBusy && ((run && isOfPool(run.profile)) || hasPlace(ledger, runId, action.place));
			// Its host knows of it and is about to claim it. pi would draw a row that is outdated a moment later. A caller that
			// was told another place must not keep showing that one.
			if (starting && watched.has(runId) && action.caller.knownPlace === undefined) break;
			calls.options(id)?.onQueued?.({ position: action.place, sessionBusy, starting });
			break;
		}
		case "reach": {
			const run = found.open.get(action.runId);
			if (run) watched.listen(run, hosts?.reach(run));
			break;
		}
		case "unwatch":
			watched.end(action.runId);
			break;
	}
}

/** The ledger no longer has the run because a damaged ledger was replaced, or only a newer pi-geon can read it. */
class RunForgotten extends Error {
	override name = "RunForgotten";
	constructor(ledger: Ledger, id: RunId) {
		const found = findUnreadable(ledger, id);
		super(
			found ? unreadableMessage(ledger, found) : `Run ${id} is not in the ledger any more, so its outcome is unknown.`,
		);
	}
}
