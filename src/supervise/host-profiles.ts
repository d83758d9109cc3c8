import { isOfPool, poolOf } from "../ledger/profile-key.ts";
import type { PlannedPool, PlannedSandbox } from "../plan/plan.ts";
import { forPool, type HostProfile, inRing } from "./profile.ts";

/** The kinds of hosts that this process starts: one without a ring, one in a ring, and one for each pool. */
export class HostProfiles {
	readonly free: HostProfile;
	readonly #principals: (() => readonly string[]) | undefined;
	#known: { key: string; profile: HostProfile } | undefined;

	/** `principals`: the folders of principals as the user has them now. Absent: no host has a ring. */
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

	/** Undefined if this process does not start hosts of that kind. */
	named(digest: string): HostProfile | undefined {
		const known = isOfPool({ digest }) ? [forPool(this.free, poolOf(digest))] : [this.free, this.ringed];
		return known.find((profile) => profile.digest === digest);
	}
}

/** The parts of a plan, or of an expected plan, that decide about the ring. */
export interface RingedPlan {
	sandbox?: Pick<PlannedSandbox, "mode" | "write">;
	stopHook?: object;
	pool?: Pick<PlannedPool, "name">;
}

/**
 * Whether the host of a run may be in a ring. A host whose run writes in the checkout may not. Nor may a host that runs a
 * stop hook: the hook is the user's program, which may write wherever the user can.
 */
const isInHostRing = ({ sandbox, stopHook }: RingedPlan): boolean =>
	sandbox !== undefined && sandbox.mode !== "off" && sandbox.write !== "checkout" && stopHook === undefined;
