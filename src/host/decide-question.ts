import { CLAIM_MS } from "../ledger/process-claims.ts";

/**
 * How long a parent has to come and show a question before it counts as absent: it looks for its host, and at the
 * ledger, once a second.
 */
export const SHOWN_WITHIN_MS = 3000;

/** Who watches the run of a question: a parent with a user, only parents without one, or no parent yet. */
export type Presence = "user" | "nobody" | "unknown";

/** An open question, as its host sees it now. Times are those of its own process. */
export interface SeenQuestion {
	/** Whether a parent shows it, as far as the ledger knows, and whether one ever did. */
	isShown: boolean;
	wasShown: boolean;
	/** Who has watched the run since the question was asked. */
	presence: Presence;
	askedForMs: number;
	/** For how long the claim on showing it has not changed. A parent that shows it renews its claim. */
	quietForMs: number;
}

/**
 * Whether an open question keeps waiting, or why it is declined. While a parent shows it, it waits for as long as its run
 * may take.
 */
export function decideQuestion(seen: SeenQuestion, { askMs }: { askMs: number }): "wait" | "nobody" | "time" {
	const { isShown, wasShown, presence, askedForMs, quietForMs } = seen;
	if (!wasShown && presence === "nobody") return "nobody";
	if (!wasShown && presence === "unknown") return askedForMs < SHOWN_WITHIN_MS ? "wait" : "nobody";
	// A parent that died while it showed the question cannot give up its claim.
	const patienceMs = Math.max(askMs, SHOWN_WITHIN_MS) + (isShown ? CLAIM_MS : 0);
	return quietForMs < patienceMs ? "wait" : "time";
}
