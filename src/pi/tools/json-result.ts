import type { Denial } from "../../operate/denial.ts";
import { messageOf } from "../../run/message-of.ts";

/** A tool result that is data: the same for the model to read as for programs. */
export const jsonResult = <Details>(details: Details) => ({
	content: [{ type: "text" as const, text: JSON.stringify(details, null, 1) }],
	details,
});

/** The same for what may fail. Something of ours may be broken, a ledger that cannot be opened, a full disk: still an answer. */
export async function jsonAnswer<Details>(work: () => Promise<Details>) {
	return jsonResult<Details | Denial>(await orError(work));
}

export async function orError<Details>(work: () => Promise<Details>): Promise<Details | Denial> {
	try {
		return await work();
	} catch (error) {
		return { status: "error", error: messageOf(error) };
	}
}
