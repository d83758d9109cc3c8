import { homedir } from "node:os";
import { inDoubt } from "../config/in-doubt.ts";
import { removeAllExpired as removeExpired } from "../operate/gc.ts";
import { treesRoot } from "../plan/session-place.ts";
import { plural } from "../run/amounts.ts";
import type { Command } from "./command.ts";
import { correctFirst } from "./correct-first.ts";
import { recoverHere } from "./recover-here.ts";
import {
	agentDir,
	configOfUser,
	isInsideSubagent,
	nothingYet,
	ONLY_LOOKS,
	places,
	withLedger,
} from "./surroundings.ts";

export const gc: Command = {
	name: "gc",
	takes: "",
	does: "remove runs, transcripts and logs older than retentionDays; keep open runs and undelivered reports",
	words: [0, 0],
	options: {},
	checksConfig: true,
	async run({ out }) {
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		// Read only the user's file: a project may not decide this.
		const loaded = configOfUser();
		const [doubt] = inDoubt(loaded.diagnostics, ["retentionDays"]);
		if (doubt) return out.failed(`Nothing was removed. ${correctFirst(doubt)}`);
		out.diagnostics(loaded.diagnostics);
		const { retentionDays } = loaded.config;
		const removed = await withLedger((ledger) => {
			recoverHere(ledger);
			return removeExpired(ledger, {
				at: Date.now(),
				retentionDays,
				places: places(),
				treesRoot: treesRoot(agentDir(), homedir()),
			});
		});
		if (out.isJson)
			out.document(removed ?? { runs: 0, sessions: 0, hosts: 0, trees: 0, files: 0, bytes: 0, failed: [] });
		else if (!removed) out.lines([nothingYet()]);
		else {
			const { runs, sessions, hosts, trees, files, bytes } = removed;
			out.lines([
				`Removed what is older than ${plural(retentionDays, "day")}: ${plural(runs, "run")}, ` +
					`${plural(sessions, "session")}, ${plural(hosts, "host")}, ${plural(files, "file")} (${Math.round(bytes / 1024)} kB).`,
				...(trees > 0 ? [`Removed ${plural(trees, "leftover")} of trees and changes.`] : []),
			]);
		}
		if (removed && removed.failed.length > 0) return out.failed(`Could not be removed: ${removed.failed.join(", ")}`);
		return 0;
	},
};
