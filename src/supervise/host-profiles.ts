import { isOfPool, poolOf } from "../ledger/profile-key.ts";
import type { PlannedPool, PlannedSandbox } from "../plan/plan.ts";
import { forPool, type HostProfile, inRing } from "./profile.ts";

/** The kinds of hosts that this process starts: one without a ring, one in a ring, and one for each pool. */
export class HostProfiles {
	readonly free: HostProfile;
	readonly #principals: (() => readonly string[]) | undefined;
	#known: { key: string; profile: HostProfile } | undefined;

	/** `principals`: their folders as the user has them now. Absent: no host has a ring. */
	constructor(free: HostProfile, principals?: () => readonly string[]) {
		this.free = free;
		this.#principals = principals;
	}

	get ringed(): HostProfile {
		if (!this.#principals) return this.free;
		const principals = this.#principals();
		const key = JSON.stringify(principals);
		if (this.#known?.key !== key) this.#known = { key, profile: inRing(this.free, principals) };
		return this.#known.profile;
	}

	for(plan: RingedPlan): HostProfile {
		if (plan.pool) return forPool(this.free, plan.pool.name);
		return isInHostRing(plan) ? this.ringed : this.free;
	}

	/** Undefined if it is of no kind that this process starts. */
	named(digest: string): HostProfile | undefined {
		const known = isOfPool({ digest }) ? [forPool(this.free, poolOf(digest))] : [this.free, this.ringed];
		return known.find((profile) => profile.digest === digest);
	}
}

/** What decides about it, of a plan or of one that is likely to come. */
export interface RingedPlan {
	sandbox?: Pick<PlannedSandbox, "mode" | "write">;
	stopHook?: object;
	pool?: Pick<PlannedPool, "name">;
}

/**
 * Whether the host of a run may be in a ring. One that writes in the checkout may not, nor one that runs a hook when the run
 * has finished: that is a program of the user's, which may write wherever the user can.
 */
const isInHostRing = ({ sandbox, stopHook }: RingedPlan): boolean =>
	sandbox !== undefined && sandbox.mode !== "off" && sandbox.write !== "checkout" && stopHook === undefined;
