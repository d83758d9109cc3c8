import { existsSync, readFileSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { RunId } from "../run/ids.ts";
import { ANNOUNCE } from "./announce.ts";

type Transcript = ExtensionContext["sessionManager"];

/**
 * Whether the transcript of the session that asked holds the announce of a run. Only then is the debt paid: a message
 * that is queued, or in memory of a session whose file is not written yet, dies with the process.
 */
export function holdsAnnounce(transcript: Transcript, id: RunId): boolean {
	const inMemory = transcript
		.getEntries()
		.some(
			(entry) => entry.type === "custom_message" && entry.customType === ANNOUNCE && announceIdOf(entry.details) === id,
		);
	const file = transcript.getSessionFile();
	return inMemory && (file === undefined || existsSync(file));
}

/** The same for what another process wrote into the file since we read it. */
export function fileHoldsAnnounce(transcript: Transcript, id: RunId): boolean {
	const file = transcript.getSessionFile();
	return file !== undefined && existsSync(file) && readFileSync(file, "utf8").includes(`"announceId":"${id}"`);
}

const announceIdOf = (details: unknown): unknown =>
	typeof details === "object" && details !== null && "announceId" in details ? details.announceId : undefined;
