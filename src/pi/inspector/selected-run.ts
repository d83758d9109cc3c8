import type { RunRecord } from "../../ledger/records.ts";
import { findSession } from "../../ledger/sessions.ts";
import { infoOf } from "../../operate/info.ts";
import { transcriptOf } from "../../operate/messages.ts";
import type { RunSources } from "../../operate/runs.ts";
import type { LiveRuns } from "../../supervise/live-runs.ts";
import type { InspectorView } from "./screen.ts";
import { Transcript } from "./transcript.ts";

/** Reads the selected run at each call, but only the new part of its session file. */
export function selectedRun(sources: RunSources, live: LiveRuns): (record: RunRecord) => InspectorView["run"] {
	let transcript: Transcript | undefined;
	return (record) => {
		const path = transcriptOf(findSession(sources.ledger, record.sessionId) ?? record.plan.session);
		// The session was archived, or the run is another one.
		if (path !== transcript?.path) {
			transcript = path === undefined ? undefined : new Transcript(path, sources.redactor.redact);
		}
		const progress = record.run.state === "ended" ? undefined : live.progressOf(record.run.id);
		const info = infoOf(record, sources);
		return {
			info: progress ? { ...info, usage: progress.usage } : info,
			transcript: transcript?.read(progress) ?? { items: [], isCut: false },
		};
	};
}
