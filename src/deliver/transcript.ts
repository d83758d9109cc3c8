import { existsSync, readFileSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { ANNOUNCE } from "./announce.ts";

type Transcript = ExtensionContext["sessionManager"];

/**
 * The runs whose announces the transcript of the session that asked holds. Only then is a debt paid: a message that is
 * queued, or in memory of a session whose file is not written yet, dies with the process.
 */
export function announcesHeld(transcript: Transcript): Set<unknown> {
	const file = transcript.getSessionFile();
	if (file !== undefined && !existsSync(file)) return new Set();
	return new Set(
		transcript
			.getEntries()
			.flatMap((entry) =>
				entry.type === "custom_message" && entry.customType === ANNOUNCE ? [announceIdOf(entry.details)] : [],
			),
	);
}

/** The same for what other processes may have written into the file since we read it. */
export function announcesInFile(transcript: Transcript): Set<unknown> {
	const file = transcript.getSessionFile();
	if (file === undefined || !existsSync(file)) return new Set();
	const ids = readFileSync(file, "utf8").matchAll(/"announceId":"([0-9a-f]{8})"/g);
	return new Set(Array.from(ids, ([, id]) => id));
}

const announceIdOf = (details: unknown): unknown =>
	typeof details === "object" && details !== null && "announceId" in details ? details.announceId : undefined;
