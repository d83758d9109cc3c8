import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { currentRedactor } from "../collect/redact/current-redactor.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { placesIn } from "../ledger/places.ts";
import { type Log, logTo } from "../log/log.ts";
import { appendToLog } from "../log/log-file.ts";

/** The log of this pi process. Reads and creates nothing before the first line. */
export const parentLog: Log = logTo({
	context: { role: "parent", pid: process.pid },
	write: (line) => appendToLog(placesIn(getAgentDir()).parentLog, line),
	redact: (value) => parentRedactor().redactValue(value),
	isWrittenLate: true,
});

/** Redacts everything that this pi shows or records of its children. */
export const parentRedactor = (): Redactor => currentRedactor(getAgentDir());
