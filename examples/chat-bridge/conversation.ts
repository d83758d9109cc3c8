import { createHash } from "node:crypto";
import type { Thread } from "./chat.ts";
import { PiProcess, type PiRecord } from "./pi-process.ts";

/** A dialog that an extension, here or in a subagent, has open. */
interface Dialog {
	id: string;
	method: "confirm" | "select" | "input";
	title: string;
	message?: string;
	options?: string[];
}

interface Message {
	role: string;
	content: string | { type: string; text?: string }[];
	customType?: string;
	details?: { route?: Thread; label?: string; agent?: string; status?: string; result?: string; notes?: string };
}

export interface ConversationSetup {
	where: Thread;
	/** How to start pi. */
	command: string[];
	post(where: Thread, text: string): void;
	onEnd(): void;
}

/** One chat thread and the pi session behind it. */
export class Conversation {
	readonly #setup: ConversationSetup;
	readonly #pi: PiProcess;
	/** Questions to the people in this thread, oldest first: the next message answers the first. */
	readonly #dialogs: Dialog[] = [];

	constructor(setup: ConversationSetup) {
		const { where, command, onEnd } = setup;
		this.#setup = setup;
		// The same session each time, so that runs that ended meanwhile are reported in the right conversation.
		const session = ["--session-id", sessionIdOf(where)];
		this.#pi = new PiProcess([...command, ...session], { onRecord: (record) => this.#take(record), onExit: onEnd });
		// Every background run that is spawned from now on carries this, and its announce brings it back.
		this.#pi.send({ type: "prompt", message: `/announce-route ${JSON.stringify(where)}` });
	}

	hear(text: string): void {
		const dialog = this.#dialogs.shift();
		if (dialog) this.#pi.send({ type: "extension_ui_response", id: dialog.id, ...answerTo(dialog, text) });
		else this.#pi.send({ type: "prompt", message: text, streamingBehavior: "followUp" });
	}

	close(): void {
		this.#pi.close();
	}

	#take(record: PiRecord): void {
		if (record.type === "message_end") this.#report(record.message as Message);
		if (record.type === "extension_ui_request") this.#ask(record as PiRecord & Dialog);
		if (record.type === "response" && record.success === false) {
			this.#setup.post(this.#setup.where, `pi refused this: ${String(record.error)}`);
		}
	}

	#report(message: Message): void {
		const { where, post } = this.#setup;
		const text = textOf(message);
		if (message.role === "assistant" && text !== "") post(where, text);
		if (message.customType !== "pi-geon:announce") return;
		// The content is for the model, with the subagent's words marked. People read the details.
		const { route = where, label, agent, status, result, notes } = message.details ?? {};
		const lines = [
			`Status: ${status}`,
			...(result ? [`Result: ${result}`] : []),
			...(notes ? [`Notes: ${notes}`] : []),
		];
		post(route, [`[report of ${label ?? agent}]`, ...lines].join("\n"));
	}

	#ask(dialog: Dialog): void {
		if (!["confirm", "select", "input"].includes(dialog.method)) return; // Notices and the like.
		this.#dialogs.push(dialog);
		const choices = dialog.method === "confirm" ? ["yes", "no"] : (dialog.options ?? []);
		this.#setup.post(this.#setup.where, [dialog.title, dialog.message, choices.join(" / ")].filter(Boolean).join("\n"));
	}
}

/** Names of channels and threads may hold what a session id may not, and "a-b" in "c" is not "a" in "b-c". */
const sessionIdOf = ({ channel, thread }: Thread): string =>
	createHash("sha256")
		.update(JSON.stringify([channel, thread]))
		.digest("hex")
		.slice(0, 32);

function answerTo({ method, options = [] }: Dialog, text: string): object {
	if (method === "confirm") return { confirmed: /^y(es)?$/i.test(text.trim()) };
	if (method === "input") return { value: text };
	const chosen = options.find((option) => option.toLowerCase() === text.trim().toLowerCase());
	return chosen === undefined ? { cancelled: true } : { value: chosen };
}

function textOf({ content }: Message): string {
	if (typeof content === "string") return content.trim();
	const texts = content.map((part) => (part.type === "text" ? (part.text ?? "") : ""));
	return texts.join("").trim();
}
