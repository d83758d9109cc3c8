import type { ReportedChanges } from "../../src/run/changes.ts";

/** What a run changed in one file, as its outcome reports it. */
export const CHANGES: ReportedChanges = {
	base: { commit: "b", dirty: false },
	commit: "c",
	files: [{ path: "a.ts", status: "M", added: 2, removed: 1 }],
	total: { files: 1, added: 2, removed: 1 },
	state: "pending",
	warnings: [],
};
