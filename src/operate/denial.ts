import type { Refusal } from "../run/errors.ts";

/** What a session tool answers when it does nothing. */
export interface Denial {
	/** forbidden: a setting, or whose session it is, says no. error: anything else that was wrong with the request. */
	status: "forbidden" | "error";
	error: string;
}

export const isDenial = (value: object): value is Denial => "status" in value && "error" in value;

export function denialOf({ error }: Refusal): Denial {
	const forbidden = ["SUBAGENTS_DISABLED", "SUBAGENT_DISABLED", "SUBAGENT_DEPTH_EXCEEDED"].includes(error.code);
	return { status: forbidden ? "forbidden" : "error", error: error.message };
}
