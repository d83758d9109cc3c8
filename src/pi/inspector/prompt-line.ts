import { Input } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { titleOf } from "../../operate/report/words.ts";
import type { RunId } from "../../run/ids.ts";
import type { InspectorView } from "./screen.ts";

/** A question that y answers. */
interface Asked {
	onYes(): void;
	onNo(): void;
}

interface WrittenTo {
	to: RunId;
	onSend(text: string): void;
	/** The user left without sending it. */
	onLeave(isKept: boolean): void;
}

/** The last line of the inspector while the user answers a question there, or writes a message. */
export class PromptLine {
	/** Unsent messages, by the run that they are for. */
	readonly #drafts: Map<RunId, string>;
	#input: Input | undefined;
	#asked: (Asked & { question: string }) | undefined;
	#isFocused = false;

	constructor(drafts: Map<RunId, string>) {
		this.#drafts = drafts;
	}

	get isUsed(): boolean {
		return this.#input !== undefined || this.#asked !== undefined;
	}

	get question(): string | undefined {
		return this.#asked?.question;
	}

	/** Draws the message that is being written, if any. */
	get inputLine(): ((width: number) => string) | undefined {
		const input = this.#input;
		return input && ((width) => input.render(width)[0] ?? "");
	}

	set focused(isFocused: boolean) {
		this.#isFocused = isFocused;
		if (this.#input) this.#input.focused = isFocused;
	}

	ask(question: string, asked: Asked): void {
		this.#asked = { question, ...asked };
	}

	write({ to, onSend, onLeave }: WrittenTo): void {
		const input = new Input();
		input.focused = this.#isFocused;
		// Inserted as if typed, so that the cursor is at its end.
		const draft = this.#drafts.get(to);
		if (draft !== undefined) input.handleInput(draft);
		input.onEscape = () => {
			this.#input = undefined;
			const written = input.getValue();
			const isKept = written.trim() !== "";
			if (isKept) this.#drafts.set(to, written);
			else this.#drafts.delete(to);
			onLeave(isKept);
		};
		input.onSubmit = (text) => {
			this.#input = undefined;
			this.#drafts.delete(to);
			if (text.trim() === "") onLeave(false);
			else onSend(text.trim());
		};
		this.#input = input;
	}

	take(data: string): void {
		if (this.#input) return void this.#input.handleInput(data);
		const asked = this.#asked;
		this.#asked = undefined;
		if (data === "y" || data === "Y") asked?.onYes();
		else asked?.onNo();
	}
}

/** A question has to fit its line. */
const LONGEST_QUESTIONED = 40;

/** The user's name for a run: its agent, and its label or else its task. */
export function nameIn(run: InspectorView["run"]): string {
	if (!run) return "it";
	const title = titleOf(run.info);
	const short = title.length > LONGEST_QUESTIONED ? `${title.slice(0, LONGEST_QUESTIONED).toWellFormed()}…` : title;
	return `${inOneLine(run.info.agent)} "${short}"`;
}
