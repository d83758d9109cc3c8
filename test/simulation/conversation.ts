import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Conversation, ConversationMessage } from "../../src/ports/conversation.ts";
import type { Entry } from "../faults/evidence.ts";
import { ignoreKilled } from "./killed.ts";
import type { SimProcess } from "./process.ts";
import type { NewEntry, SimSession } from "./session-file.ts";
import type { World } from "./world.ts";

/** One tool call of the parent's model. */
export interface ToolCall {
	id: string;
	toolName: string;
	/** Never fails: a failure is a result, as in pi. */
	execute(signal: AbortSignal): Promise<unknown>;
}

export interface ConversationEvents {
	promptEntered(): void;
	promptArrived(): void;
	turnEnded(results: { toolCallId: string; toolName: string; details: unknown }[]): Promise<void>;
	settled(): void;
}

/**
 * A pi session as pi 0.87.1 or 1.5.0 keeps it, compared with them in `simulated-conversation.test.ts`: one prompt at a time; messages
 * that come meanwhile wait for the end of the turn, or of all turns; and an entry that cannot be written fails the turn.
 */
export class SimConversation implements Conversation {
	readonly #world: World;
	readonly #process: SimProcess;
	readonly #session: SimSession;
	readonly #events: ConversationEvents;
	readonly #followUps: ConversationMessage[] = [];
	readonly #deferred: ConversationMessage[] = [];
	readonly #afterwards: ConversationMessage[] = [];
	#isBusy = false;
	/** While everybody hears that it rests: a turn that is asked for then begins afterwards. */
	#isSettling = false;
	#abort = new AbortController();
	readonly isInteractive = true;
	/** What the user was told, beside the conversation. */
	readonly notices: string[] = [];

	constructor(world: World, process: SimProcess, session: SimSession, events: ConversationEvents) {
		this.#world = world;
		this.#process = process;
		this.#session = session;
		this.#events = events;
	}

	get sessionId(): string {
		return this.#session.id;
	}

	get file(): string {
		return this.#session.file;
	}

	isIdle(): boolean {
		return !this.#isBusy;
	}

	/** pi counts prompts of the user only, and these wait outside. */
	hasPending(): boolean {
		return false;
	}

	entries(): readonly SessionEntry[] {
		return this.#session.entries as unknown as SessionEntry[];
	}

	notify(text: string): void {
		this.#process.requireAlive();
		this.notices.push(text);
		this.#world.note(this.#process.name, `NOTICE ${text}`);
	}

	countUsage(): void {}

	countUsageOf(): void {}

	send(messages: readonly ConversationMessage[]): void {
		this.#process.point("send message");
		for (const [index, message] of messages.entries()) {
			const startsTurn = index === messages.length - 1;
			if (this.#isBusy) (startsTurn ? this.#followUps : this.#deferred).push(message);
			else if (startsTurn && this.#isSettling) this.#afterwards.push(message);
			else if (startsTurn) this.#prompt(() => this.#append(announce(message), "announce"), []).catch(ignoreKilled);
			else this.#orFail(() => this.#append(announce(message), "announce"));
		}
	}

	add(message: ConversationMessage): void {
		this.#process.point("send message");
		if (this.#isBusy) this.#deferred.push(message);
		else this.#orFail(() => this.#append(announce(message), "announce"));
	}

	abort(): void {
		this.#abort.abort();
	}

	/** The user says something, and the model makes these calls. Resolves when pi is idle again. */
	async prompt(text: string, calls: ToolCall[]): Promise<void> {
		while (this.#isBusy) await this.#process.clock.sleep(50);
		this.#events.promptEntered();
		// Until it arrives, pi 0.87.1 takes itself for idle.
		const isMarked = this.#world.history.pi === "1.5.0";
		if (isMarked) this.#isBusy = true;
		await this.#process.clock.sleep(this.#world.random.between(1, 30));
		while (this.#isBusy && !isMarked) await this.#process.clock.sleep(50);
		const user: NewEntry = { type: "message", message: { role: "user", content: text } };
		await this.#prompt(() => this.#append(user, "user"), calls);
	}

	async #prompt(begin: () => void, calls: ToolCall[]): Promise<void> {
		this.#isBusy = true;
		this.#abort = new AbortController();
		try {
			this.#events.promptArrived();
			await undefined; // Whoever sent it continues first.
			begin();
			await this.#turn(calls);
			await this.#followUp();
		} catch (error) {
			this.#process.requireAlive();
			this.#world.note(this.#process.name, `the turn fails: ${error}`);
			await this.#fail();
		}
		// If one of these cannot be written, pi never comes to rest again.
		this.#flush();
		await this.#settle();
	}

	async #followUp(): Promise<void> {
		for (let next = this.#followUps.splice(0); next.length > 0; next = this.#followUps.splice(0)) {
			for (const message of next) this.#append(announce(message), "announce");
			await this.#turn([]);
		}
	}

	/** pi says in the conversation that the turn failed. If that cannot be written either, what waits keeps waiting. */
	async #fail(): Promise<void> {
		const failed: NewEntry = { type: "message", message: { role: "assistant", content: [], stopReason: "error" } };
		try {
			this.#append(failed, "assistant");
			await this.#events.turnEnded([]);
			await this.#followUp();
		} catch (error) {
			this.#process.requireAlive();
			this.#world.note(this.#process.name, `nor can that be written: ${error}`);
		}
	}

	async #settle(): Promise<void> {
		this.#isBusy = false;
		this.#isSettling = true;
		this.#events.settled();
		this.#isSettling = false;
		for (const message of this.#afterwards.splice(0)) {
			await this.#prompt(() => this.#append(announce(message), "announce"), []);
		}
	}

	async #turn(calls: ToolCall[]): Promise<void> {
		await this.#process.clock.sleep(this.#world.random.between(5, 300));
		const content = calls.map(({ id, toolName }) => ({ type: "toolCall", id, name: toolName }));
		this.#append({ type: "message", message: { role: "assistant", content } }, "assistant");
		const results = await Promise.all(
			calls.map(async ({ id, toolName, execute }) => ({
				toolCallId: id,
				toolName,
				details: await execute(this.#abort.signal),
			})),
		);
		for (const { toolCallId, toolName, details } of results) {
			const message = {
				role: "toolResult",
				toolCallId,
				toolName,
				details: details as NonNullable<Entry["message"]>["details"] & object,
			};
			this.#append({ type: "message", message }, "toolResult");
		}
		await this.#events.turnEnded(results);
		this.#flush();
		if (calls.length > 0) await this.#turn([]);
	}

	/** What came during a turn without asking for one of its own. */
	#flush(): void {
		for (const message of this.#deferred.splice(0)) this.#append(announce(message), "announce");
	}

	#append(entry: NewEntry, kind: string): void {
		this.#session.append(entry, kind);
	}

	/** Outside of a turn pi reports the error to the extension, and continues. */
	#orFail(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.#process.requireAlive();
			this.#world.note(this.#process.name, `a message could not be written: ${error}`);
		}
	}
}

const announce = ({ customType, details }: ConversationMessage): NewEntry => ({
	type: "custom_message",
	customType,
	details: details as NonNullable<Entry["details"]>,
});
