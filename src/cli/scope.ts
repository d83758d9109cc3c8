import { realpathSync } from "node:fs";
import type { Ledger } from "../ledger/ledger.ts";
import { type RunScope, sessionsThatBegin } from "../ledger/run-list.ts";
import { type Option, textOption } from "./command.ts";

export const SCOPE_TAKES = "[--session <id>] [--here]";

export const SCOPE_OPTIONS: Readonly<Record<string, Option>> = {
	session: {
		type: "string",
		takes: "<id>",
		does: "only runs of this pi session; the start of its id is enough",
	},
	here: { type: "boolean", does: "only runs in this directory" },
};

/** All runs of the user, unless the options narrow them down. */
export function scopeOf(options: Readonly<Record<string, string | boolean | undefined>>, ledger: Ledger): RunScope {
	const session = textOption(options.session);
	return {
		...(session !== undefined && { parentSession: wholeSession(session, ledger) }),
		...(options.here === true && { cwd: realpathSync(process.cwd()) }),
	};
}

function wholeSession(begun: string, ledger: Ledger): string {
	const [only, ...others] = sessionsThatBegin(ledger, begun);
	if (only === undefined || only === begun) return begun;
	if (others.length === 0) return only;
	throw new Error(`Several sessions begin with "${begun}": ${[only, ...others].join(", ")}.`);
}
