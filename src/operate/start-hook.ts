import { plain } from "../collect/plain.ts";
import type { AdmissionServices } from "../delegate.ts";
import type { RunMode } from "../ledger/records.ts";
import { hookFor } from "../plan/hooks.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { type HookEnd, runHook } from "../processes/hook.ts";
import { duration } from "../run/amounts.ts";
import { type Refusal, refuse } from "../run/errors.ts";

/** What is about to begin: a new session, another task in a session, or a message to an open run. */
export type Beginning = "new" | "resume" | "message";

interface StartQuestion {
	plan: LaunchPlan;
	how: Beginning;
	task: string;
	mode: RunMode;
	parentSession: string;
	label?: string | undefined;
	signal?: AbortSignal | undefined;
}

/** Asks the user's start hook, if there is one, whether a run may begin. A hook that gives no answer has not agreed. */
export async function refusedByHook(
	question: StartQuestion,
	{ config, agentDir, ledger, ports }: Pick<AdmissionServices, "config" | "agentDir" | "ledger" | "ports">,
): Promise<Refusal | undefined> {
	const { plan, signal } = question;
	const hook = hookFor("start", { config, agentDir, cwd: plan.cwd });
	if (!hook) return undefined;
	const disabled = (message: string) => refuse("SUBAGENT_DISABLED", message, "hook");
	if ("problem" in hook) {
		return disabled(
			`${plan.agent} was not started: the start hook cannot be run, since ${hook.problem}. ${CORRECT_HOOK}`,
		);
	}
	const ended = await runHook({ ...hook, input: startInput(question), clock: ports.clock, signal });
	if (ended.kind === "exited" && ended.code === 0) return undefined;
	if (ended.kind === "aborted") {
		return refuse("SUBAGENT_FAILED", `Stopped while the start hook ran. Nothing was started.`, "stopped");
	}
	return disabled(`${plan.agent} was not started: ${whyNot(ended, hook.timeoutMs)}${words(ended, ledger.redact)}`);
}

const CORRECT_HOOK = "Correct subagents.hooks.start in pi-geon.json.";

function whyNot(ended: Exclude<HookEnd, { kind: "aborted" }>, timeoutMs: number): string {
	switch (ended.kind) {
		case "exited":
			return `the start hook (subagents.hooks.start in pi-geon.json) refused it with exit code ${ended.code}`;
		case "killed":
			return `the start hook (subagents.hooks.start in pi-geon.json) was ended by ${ended.by}`;
		case "hung": {
			const time = timeoutMs < 1000 ? `${timeoutMs} ms` : duration(timeoutMs);
			return `the start hook did not finish within ${time} (subagents.hooks.timeoutMs in pi-geon.json)`;
		}
		case "not_started":
			return `the start hook cannot be run (${ended.why}). ${CORRECT_HOOK}`;
	}
}

/** The limit of the hook's message, which the model reads. */
const MOST_WORDS = 1000;

function words(ended: HookEnd, redact: (text: string) => string): string {
	if (ended.kind === "not_started") return "";
	const said = "said" in ended ? plain(redact(ended.said)).trim() : "";
	if (said === "") return ". It said nothing.";
	return `: ${said.length > MOST_WORDS ? `${said.slice(0, MOST_WORDS).toWellFormed()}…` : said}`;
}

/**
 * Uses the field names of Claude Code's SubagentStart, then our own. The task is the requested one, since the hook has to
 * judge that.
 */
function startInput({ plan, how, task, mode, parentSession, label }: StartQuestion): object {
	return {
		session_id: parentSession,
		cwd: plan.cwd,
		hook_event_name: "SubagentStart",
		agent_id: plan.session.id,
		agent_type: plan.agent,
		agent_transcript_path: plan.session.file,
		source: how,
		task,
		mode,
		...(label !== undefined && { label }),
		model: `${plan.model.provider}/${plan.model.id}`,
		tools: plan.tools,
		...(plan.session.fork !== undefined && { context: "fork" }),
		project_trusted: plan.projectTrusted,
	};
}
