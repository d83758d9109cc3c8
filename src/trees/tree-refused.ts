/** Why no tree can be made of a checkout. Reported before a run exists, or in its outcome if the checkout changed later. */
export type TreeRefusalReason = "no_snapshot" | "snapshot_too_large";

export class TreeRefused extends Error {
	override name = "TreeRefused";
	readonly reason: TreeRefusalReason;
	constructor(reason: TreeRefusalReason, message: string, options?: ErrorOptions) {
		super(message, options);
		this.reason = reason;
	}
}
