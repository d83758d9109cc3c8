import type { ExtensionUIContext, ExtensionUIDialogOptions } from "@earendil-works/pi-coding-agent";
import { systemClock } from "../ports/clock.ts";
import type { Answer, Question } from "../processes/protocol.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import type { ChildEvent, ChildEvents } from "./child-events.ts";

/** How much of a dialog is sent. Users would not read the rest, and a line on the socket has a limit. */
const LONGEST_OPTION = 500;
const LONGEST_QUESTION = 4_000;
const MOST_OPTIONS = 1_000;

export interface DialogSetup {
	/** pi's own context for a process without a user, in which nothing has an effect. Only the dialogs are replaced. */
	base: ExtensionUIContext;
	/** Shows a question to the parent's user; undefined if it was declined. */
	ask(question: Question, signal: AbortSignal): Promise<Answer>;
	redact(text: string): Redacted;
	onNotice(message: string, level: string): void;
	/** After this fires, all open and new dialogs are declined. */
	over: AbortSignal;
}

export interface Dialogs {
	ui: ExtensionUIContext;
	/** The events of the child, plus each open question as a running tool: it takes as long as a person does. */
	alongside(events: ChildEvents): ChildEvents;
}

/** The user interface of a child: its dialogs go to the parent's user. */
export function childDialogs(setup: DialogSetup): Dialogs {
	const listeners = new Set<(event: ChildEvent) => void>();
	const open = new Set<string>();
	let opened = 0;

	/** Accepts any value, because not all extensions are type-checked. Redacts before cutting: half a key is not recognized. */
	const shortened = (text: string, length: number) =>
		reshaped(setup.redact(String(text)), (redacted) => beginning(redacted, length));
	const line = (text: string) => shortened(text, LONGEST_OPTION);
	const paragraph = (text: string) => shortened(text, LONGEST_QUESTION);

	async function ask(question: Question, options: ExtensionUIDialogOptions = {}): Promise<Answer> {
		const id = `question-${++opened}`;
		const expired = new AbortController();
		const keepTime = options.timeout ? systemClock.after(options.timeout, () => expired.abort()) : () => {};
		open.add(id);
		for (const listener of listeners) listener(begun(id));
		try {
			const given = options.signal ? [options.signal] : [];
			return await setup.ask(question, AbortSignal.any([setup.over, expired.signal, ...given]));
		} finally {
			keepTime();
			open.delete(id);
			for (const listener of listeners) listener(finished(id));
		}
	}

	const ui: ExtensionUIContext = {
		// Spread, not inherited: pi copies the own properties of what it is given.
		...setup.base,
		async confirm(title, message, options) {
			const question: Question = { kind: "confirm", title: line(title), message: paragraph(message) };
			return (await ask(question, options)) === true;
		},
		async select(title, choices, options) {
			const shown = choices.slice(0, MOST_OPTIONS).map(line);
			const chosen = await ask({ kind: "select", title: line(title), options: shown }, options);
			// By its number, because the extension compares with the original text, not with the one that was shown.
			return typeof chosen === "number" ? choices[chosen] : undefined;
		},
		async input(title, placeholder, options) {
			const hint = placeholder === undefined ? {} : { placeholder: line(placeholder) };
			const entered = await ask({ kind: "input", title: line(title), ...hint }, options);
			return typeof entered === "string" ? entered : undefined;
		},
		notify: (message, level = "info") => setup.onNotice(paragraph(message), level),
	};

	return {
		ui,
		alongside: (events) => ({
			subscribe(listener) {
				const unsubscribe = events.subscribe(listener);
				listeners.add(listener);
				for (const id of open) listener(begun(id));
				return () => {
					unsubscribe();
					listeners.delete(listener);
				};
			},
		}),
	};
}

const TOOL = "question";
const begun = (id: string): ChildEvent => ({
	type: "tool_execution_start",
	toolCallId: id,
	toolName: TOOL,
	args: {},
});
const finished = (id: string): ChildEvent => ({
	type: "tool_execution_end",
	toolCallId: id,
	toolName: TOOL,
	result: undefined,
	isError: false,
});

const beginning = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
