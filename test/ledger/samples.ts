import type { Admission } from "../../src/ledger/admit.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { newSessionId, type SessionId } from "../../src/run/ids.ts";
import type { Isolation } from "../../src/run/isolation.ts";
import type { EndCause, FailureCause, Outcome } from "../../src/run/outcome.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";

/** What a test may care about in an admission; the rest is filled in. */
export interface Wish extends Partial<Omit<Admission, "plan">> {
	session?: SessionId;
	maxAttempts?: number;
	digest?: string;
	task?: string;
	isolation?: Isolation;
}

/** An admission that the ledger takes: its own session, one parent, room for all. */
export function admission(wish: Wish = {}): Admission {
	const {
		session = newSessionId(),
		maxAttempts = 2,
		digest = "d1",
		task = "look around",
		isolation = "shared",
		...rest
	} = wish;
	const plan = planFor(session, { maxAttempts, digest, task, isolation });
	return { plan, mode: "foreground", parentSession: "parent", profile: "p", laneLimit: 1000, at: 0, ...rest };
}

function planFor(
	id: SessionId,
	{ maxAttempts, digest, task, isolation }: Pick<Wish, "digest" | "task" | "isolation"> & { maxAttempts: number },
) {
	const plan: LaunchPlan = {
		agent: "scout",
		definition: { source: "builtin", file: "/agents/scout.md", digest: digest ?? "" },
		task: task ?? "",
		prompt: "You look around.",
		cwd: "/repo",
		projectTrusted: true,
		tools: ["read"],
		extensions: [],
		lspActions: [],
		model: { provider: "test", id: "model" },
		limits: { timeoutMs: 1000, idleTimeoutMs: 1000, toolTimeoutMs: 1000, maxCorrections: 1, parentSession: {} },
		isolation: isolation ?? "shared",
		maxAttempts,
		session: { id, file: `/sessions/${id}.jsonl`, resumed: false },
		principal: { id: "main" },
		afterwards: { cleanup: "keep", archiveAfterMinutes: 60, parentKept: true },
		warnings: [],
	};
	return plan;
}

export const success = (output = "done"): Outcome =>
	asItIs<Outcome>({
		status: "success",
		cause: "finalized",
		exitCode: 0,
		finalized: { status: "SUCCESS", result: output },
		output,
		usage: NO_USAGE,
		displayItems: [],
		attempts: 1,
		warnings: [],
	});

/** Stands in for `collect/`, which makes the real ones: the kind of the cause is what the tests look at. */
export const outcomeOf = (_record: unknown, cause: EndCause): Outcome =>
	asItIs<Outcome>({
		status: "error",
		cause: cause.kind as FailureCause,
		exitCode: cause.kind === "stopped" ? 130 : 1,
		error: { code: "SUBAGENT_FAILED", message: JSON.stringify(cause), reason: cause.kind },
		usage: NO_USAGE,
		displayItems: [],
		attempts: 1,
		warnings: [],
	});
