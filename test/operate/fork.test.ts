import { describe, expect, test } from "vitest";
import { SessionArchived } from "../../src/ledger/admit.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { launch } from "../../src/operate/launch.ts";
import type { ParentConversation } from "../../src/plan/fork.ts";
import { isRefusal, refuse } from "../../src/run/errors.ts";
import { newSessionId } from "../../src/run/ids.ts";
import { agentOf, configOf, parentOf } from "../plan/launching.ts";

describe("a run that starts from a copy of the conversation", () => {
	/** Who is asked what, in order. */
	async function launched(failure: Error, { copyFails = false } = {}) {
		const done: string[] = [];
		const conversation: ParentConversation = {
			isEmpty: () => false,
			async copy({ session, toolCall }) {
				done.push(`copy before ${toolCall} to ${session.fork.includes(session.id) ? "its place" : session.fork}`);
				return copyFails ? refuse("SUBAGENT_FAILED", "Too large.", "fork_too_large") : undefined;
			},
			discard: () => void done.push("discard"),
		};
		const transaction = () => {
			done.push("admit");
			throw failure;
		};
		const clock = { now: () => 1, after: (_: number, then: () => void) => setImmediate(then) };
		const services = {
			config: configOf({}),
			catalog: { agents: [agentOf("tools: read\ncontext: fork")], overridden: [], unusable: [], diagnostics: [] },
			agentDir: "/agent",
			sessionsRoot: "/sessions",
			findSession: () => undefined,
			ledger: { transaction },
			profile: () => "p",
			log: NO_LOG,
			ports: { clock },
		};
		const request = { agent: "custom", task: "Do it.", parentSession: "parent", toolCall: "call" };
		const parent = { ...parentOf, conversation };
		const answer = await launch({ request, parent, services: services as never, mode: "foreground" }).catch((e) => e);
		return { done, answer };
	}

	test("has it before it is admitted; if it is not admitted, the copy goes", async () => {
		const full = new Error("database or disk is full");
		expect(await launched(full)).toEqual({ done: ["copy before call to its place", "admit", "discard"], answer: full });
		const { done, answer } = await launched(new SessionArchived(newSessionId()));
		expect(done).toContain("discard");
		expect(isRefusal(answer)).toBe(true);
	});

	test("is refused if it cannot have it", async () => {
		const { done, answer } = await launched(new Error("never"), { copyFails: true });
		expect(done).toEqual(["copy before call to its place"]);
		expect(answer).toMatchObject({ error: { reason: "fork_too_large" } });
	});
});
