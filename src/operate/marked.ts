import { type ChildsWords, childsWords } from "../deliver/childs-words.ts";
import { NAME } from "../run/ids.ts";
import type { History } from "./history.ts";
import type { SessionList } from "./list.ts";
import type { ChildMessage } from "./messages.ts";

/** A history for a model. Marks all text of the child session, no matter who wrote it. */
export function markedHistory(history: History): object {
	const words = childsWords();
	const messages = history.messages.map((message) => markedMessage(message, words));
	return { ...(messages.length > 0 && { about: words.sentence }), ...history, messages };
}

/** A list for a model. Marks the messages in its rows in the same way. */
export function markedList({ sessions, total }: SessionList): object {
	const words = childsWords();
	const rows = sessions.map(({ messages, ...row }) => ({
		...row,
		...(messages && { messages: messages.map((message) => markedMessage(message, words)) }),
	}));
	const haveWords = sessions.some(({ messages = [] }) => messages.length > 0);
	return { ...(haveWords && { about: words.sentence }), sessions: rows, total };
}

/** A child may call a tool that does not exist, by any name it likes. */
const markedMessage = ({ tool, text, ...message }: ChildMessage, words: ChildsWords): ChildMessage => ({
	...message,
	...(tool !== undefined && { tool: NAME.test(tool) ? tool : "(not a tool)" }),
	text: words.around(text),
});
