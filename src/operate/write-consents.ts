import { readFileSync } from "node:fs";
import { writePrivate } from "../files/write-whole.ts";
import type { ToolQuestion } from "../plan/tools.ts";
import { isRecord } from "../run/is-record.ts";

/** Since when an agent may write, in milliseconds; or the user's answer for this session. */
export type Writing = { always: number } | "session" | "refused";

/** An agent that the user lets write in the checkout until its file changes. */
interface StoredConsent {
	agent: string;
	/** Where its file was, so that the user recognizes it. */
	file: string;
	/** The digest of the whole file: an edited one is another agent. */
	digest: string;
	/** When the user agreed, in milliseconds. */
	since: number;
}

/**
 * The agents for which the user chose "always", in a file of the agent directory. A project's files do not affect it. If the
 * file cannot be read, it grants nothing, and pi asks the user again.
 */
export class WriteConsents {
	readonly #file: string;

	constructor(file: string) {
		this.#file = file;
	}

	list(): StoredConsent[] {
		return readConsents(this.#file);
	}

	of({ name, digest }: Pick<ToolQuestion["agent"], "name" | "digest">): StoredConsent | undefined {
		return this.list().find((one) => one.agent === name && one.digest === digest);
	}

	/** Replaces the answer about an earlier version of the same file. */
	add({ name, file, digest }: Pick<ToolQuestion["agent"], "name" | "file" | "digest">, since: number): void {
		const others = this.list().filter((one) => one.agent !== name || (one.file !== file && one.digest !== digest));
		writeConsents(this.#file, [...others, { agent: name, file, digest, since }]);
	}

	/** Returns how many were forgotten. */
	forget(name: string): number {
		const all = this.list();
		const others = all.filter(({ agent }) => agent !== name);
		if (others.length < all.length) writeConsents(this.#file, others);
		return all.length - others.length;
	}
}

function readConsents(file: string): StoredConsent[] {
	try {
		const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
		return isRecord(stored) && Array.isArray(stored.always) ? stored.always.filter(isConsent) : [];
	} catch (error) {
		// No file, an unreadable one, or not JSON: nothing was granted.
		if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return [];
		throw error;
	}
}

const isConsent = (value: unknown): value is StoredConsent =>
	isRecord(value) &&
	[value.agent, value.file, value.digest].every((text) => typeof text === "string" && text !== "") &&
	typeof value.since === "number";

const writeConsents = (file: string, always: readonly StoredConsent[]): void =>
	writePrivate(file, `${JSON.stringify({ version: 1, always }, null, 2)}\n`);
