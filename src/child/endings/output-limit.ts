import { stat } from "node:fs/promises";
import type { Collector } from "../../collect/collector.ts";
import { MAX_SESSION_FILE } from "../../ledger/transcript.ts";
import type { ChildEvents } from "../child-events.ts";
import type { EndingRace } from "./race.ts";

const MAX_ASSISTANT_TEXT = 8 * 1024 * 1024;

/** Ends a runaway child, which writes more text than anyone reads, or a session file that fills the disk. */
export function watchOutput(
	race: EndingRace,
	child: { events: ChildEvents; collector: Collector; sessionFile: string },
): () => void {
	return child.events.subscribe((event) => {
		if (child.collector.textLength > MAX_ASSISTANT_TEXT) {
			race.declare({ kind: "output_limit", limit: "more than 8 MiB of text" });
		}
		if (event.type === "turn_end") void checkFile(race, child.sessionFile);
	});
}

async function checkFile(race: EndingRace, sessionFile: string): Promise<void> {
	const file = await stat(sessionFile).catch(() => undefined); // A missing file is not too large.
	if (file && file.size > MAX_SESSION_FILE) {
		race.declare({ kind: "output_limit", limit: "a session file of more than 64 MiB" });
	}
}
