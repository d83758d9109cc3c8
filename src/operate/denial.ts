import type { Refusal } from "../run/errors.ts";

/** The answer of a session tool that does nothing. */
export interface Denial {
	/**
	 * forbidden: a setting forbids it, or the session belongs to another. error: anything else is wrong with the request.
	 */
	status: "forbidden" | "error";
	error: string;
}

export const isDenial = (value: object): value is Denial => "status" in value && "error" in value;

export function denialOf({ error }: Refusal): Denial {
	const forbidden = ["SUBAGENTS_DISABLED", "SUBAGENT_DISABLED", "SUBAGENT_DEPTH_EXCEEDED"].includes(error.code);
	return { status: forbidden ? "forbidden" : "error", error: error.message };
}
