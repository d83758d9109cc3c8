import type { Denial } from "../../operate/denial.ts";
import { messageOf } from "../../run/message-of.ts";

/**
 * A tool result that is data. Model and programs get the same, except that a child's words may be marked for the model.
 */
export const jsonResult = <Details>(details: Details, forModel: object = details as object) => ({
	content: [{ type: "text" as const, text: JSON.stringify(forModel, null, 1) }],
	details,
});

/**
 * The result of work that may fail. There is an answer even if something of ours is broken, such as a ledger that cannot be
 * opened, or the disk is full.
 */
export async function jsonAnswer<Details>(work: () => Promise<Details>) {
	return jsonResult<Details | Denial>(await orError(work));
}

/** Like `jsonAnswer`, for results with words of children: `marked` is the model's version. */
export async function markedAnswer<Details>(work: () => Promise<{ details: Details | Denial; marked: object }>) {
	const answer = await orError(work);
	if ("marked" in answer) return jsonResult<Details | Denial>(answer.details, answer.marked);
	return jsonResult<Details | Denial>(answer);
}

export async function orError<Details>(work: () => Promise<Details>): Promise<Details | Denial> {
	try {
		return await work();
	} catch (error) {
		return { status: "error", error: messageOf(error) };
	}
}
