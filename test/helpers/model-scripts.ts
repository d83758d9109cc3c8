import type { Script } from "./model.ts";
import { httpError, type Reply } from "./model-steps.ts";

/** The n-th reply to the n-th turn of a conversation. An extra turn is an error that says so. */
export function conversation(replies: readonly Reply[]): Script {
	return ({ turn, lastUserText }) => {
		const message = `The scripted conversation has ${replies.length} turns, but turn ${turn + 1} was asked for: ${lastUserText}`;
		return replies[turn] ?? httpError(400, { body: JSON.stringify({ error: { message } }) });
	};
}

interface Roles {
	readonly parent: Script | readonly Reply[];
	readonly child: Script | readonly Reply[];
}

/** One script for the parent, one for all its children; a list is a conversation. */
export function dispatch(roles: Roles): Script {
	const parent = scriptOf(roles.parent);
	const child = scriptOf(roles.child);
	return (request) => (request.isChild ? child(request) : parent(request));
}

const scriptOf = (role: Script | readonly Reply[]): Script => (typeof role === "function" ? role : conversation(role));
