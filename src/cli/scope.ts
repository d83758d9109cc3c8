import { realpathSync } from "node:fs";
import type { RunScope } from "../ledger/run-list.ts";
import { type Option, textOption } from "./command.ts";

export const SCOPE_TAKES = "[--session <id>] [--here]";

export const SCOPE_OPTIONS: Readonly<Record<string, Option>> = {
	session: { type: "string", takes: "<id>", does: "only runs that this session of pi asked for" },
	here: { type: "boolean", does: "only runs that work in this directory" },
};

/** Whose runs are meant: all of the user's, unless something narrower was asked for. */
export function scopeOf(options: Readonly<Record<string, string | boolean | undefined>>): RunScope {
	const session = textOption(options.session);
	return {
		...(session !== undefined && { parentSession: session }),
		...(options.here === true && { cwd: realpathSync(process.cwd()) }),
	};
}
