import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { configFor } from "../config/config-for.ts";
import { decideTrust } from "../config/project-trust.ts";
import { ANNOUNCE } from "../deliver/announce.ts";
import { Announcer } from "../deliver/announcer.ts";
import { RunEvents } from "../deliver/run-events.ts";
import { STOPPED_BY_USER } from "../deliver/stopped.ts";
import type { RunRecord } from "../ledger/records.ts";
import { systemPorts } from "../processes/system-ports.ts";
import { delegationDepth } from "../run/delegation-depth.ts";
import { LiveRuns } from "../supervise/live-runs.ts";
import { mentionInPrompt, mentionMessage, offerAgents } from "./agent-mentions.ts";
import { projectAgentApprovals } from "./approvals.ts";
import { askUser } from "./ask-user.ts";
import { BACKGROUND_KEY } from "./background-key.ts";
import { CallGroups } from "./call-groups.ts";
import { registerCommands } from "./commands/register.ts";
import { addPolicyToCustomPrompt, delegationPolicy } from "./delegation-policy.ts";
import type { UserDecisions } from "./delegation-setup.ts";
import { headlessDrain } from "./drain.ts";
import { markFailure } from "./failures.ts";
import { parentLog, parentRedactor } from "./parent-log.ts";
import { conversationOf, type PiConversation } from "./pi-conversation.ts";
import { prestartHost } from "./prestart-host.ts";
import { rememberExtensions } from "./project-extensions.ts";
import { reportDiagnostics } from "./report-diagnostics.ts";
import { answerRequests } from "./requests/listen.ts";
import { registerRoute } from "./route.ts";
import { configReported, SessionServices, trustedAgentsFor, wasEverUsed } from "./session-services.ts";
import { watchForCrowds } from "./still-rows.ts";
import { TerminalUi } from "./terminal-ui.ts";
import { logToolUses } from "./tool-uses.ts";
import { agentsListTool } from "./tools/agents-list.ts";
import { sessionsApplyTool } from "./tools/sessions-apply.ts";
import { sessionsHistoryTool } from "./tools/sessions-history.ts";
import { sessionsListTool } from "./tools/sessions-list.ts";
import { sessionsSendTool } from "./tools/sessions-send.ts";
import { sessionsSpawnTool } from "./tools/sessions-spawn.ts";
import { subagentTool } from "./tools/subagent.ts";
import { announceCard } from "./view/announce-card.ts";
import { stoppedLine } from "./view/stopped-line.ts";
import { WaitingCalls } from "./waiting-calls.ts";
import { WriteQuestions } from "./write-consent.ts";

/** The extension in a user's pi. It only wires: `delegate.ts` tells what happens. */
export default function piGeon(pi: ExtensionAPI): void {
	// A subagent cannot delegate.
	if (delegationDepth(process.env) > 0) return;

	const services = new SessionServices();
	const events = new RunEvents(pi.events, systemPorts.clock.now());
	const live = new LiveRuns();
	const talkIn = (ctx: ExtensionContext) => conversationOf(pi, ctx);
	const announcer = new Announcer<PiConversation>({
		ports: systemPorts,
		log: parentLog,
		events,
		live,
		wasEverUsed,
		use: ({ ctx }, work) => services.use(ctx, work),
		askUser: ({ ctx }, available) => askUser(ctx, available),
		openQuestionDialogs: async (talk, available) =>
			(await import("./lazy.ts")).questionDialogs(talk, available, systemPorts),
	});
	const over = new AbortController();
	const calls = new WaitingCalls();
	const groups = new CallGroups();
	const rows = watchForCrowds(pi, "subagent");
	const writeQuestions = new WriteQuestions(over.signal);
	const decisions: UserDecisions = {
		approveProjectAgent: projectAgentApprovals(over.signal),
		askToWrite: (ctx, agent, tools) => writeQuestions.ask(ctx, agent, tools),
		ringTrouble: async () => (await import("./lazy.ts")).ringTrouble(),
		askForTree: async (cwd, tree) => (await import("./lazy.ts")).askForTree(cwd, tree),
	};
	const onSpawned = (from: ExtensionContext, record: RunRecord) => {
		events.created(record, { redactor: parentRedactor() });
		announcer.attend(talkIn(from));
	};
	const common = { pi, services, decisions, onSpawned };
	const ui = new TerminalUi({ ...common, live });
	const prestart = prestartHost(pi, services);
	const requests = answerRequests(common, over.signal);
	let enabled = false;
	let policy = "";

	pi.on("session_start", (event, ctx) => {
		decideTrust(event, ctx);
		rememberExtensions(event, pi, ctx);
		const loaded = configFor(ctx);
		const { config, diagnostics } = loaded;
		const { subagents } = config;
		// Keep text of an untrusted project out of the prompt and off the screen.
		const catalog = trustedAgentsFor(ctx);
		reportDiagnostics(ctx, [...diagnostics, ...(subagents.enabled ? catalog.diagnostics : [])]);
		configReported(loaded);
		enabled = subagents.enabled;
		// Earlier runs may still be owed, and can be viewed.
		ui.begin(ctx, config.ui);
		requests.begin(ctx);
		announcer.begin(talkIn(ctx));
		if (!enabled) return;
		offerAgents(ctx);
		const { agents } = catalog;
		if (event.reason === "startup" && config.ui.widget) ui.greet(ctx, agents);
		policy = subagents.injectDelegationPolicy ? delegationPolicy(agents) : "";
		pi.registerTool(subagentTool({ ...common, groups, agents, policy, announcer, events, live, calls, rows }));
		pi.registerTool(sessionsSpawnTool({ ...common, groups }));
		pi.registerTool(sessionsSendTool({ ...common, announcer }));
		pi.registerTool(sessionsListTool(services));
		pi.registerTool(sessionsHistoryTool(services));
		pi.registerTool(agentsListTool(services));
		if (subagents.worktree.modelMayApply) pi.registerTool(sessionsApplyTool(services));
	});
	pi.on("before_agent_start", ({ prompt, systemPromptOptions }, ctx) => {
		addPolicyToCustomPrompt(systemPromptOptions, policy);
		if (!enabled) return undefined;
		prestart.turnBegins(ctx);
		return mentionMessage(prompt, ctx);
	});
	pi.on("message_update", (event, ctx) => {
		if (enabled) prestart.modelWrites(event, ctx);
	});
	pi.on("tool_result", markFailure);
	pi.on("turn_end", (event, ctx) => announcer.settleSoon(talkIn(ctx), event.toolResults));
	pi.on("agent_before_settle", headlessDrain(announcer, services, talkIn, systemPorts.clock));
	// Before other input handlers: a route set with the command's old name is not a prompt.
	registerRoute(pi);
	pi.on("input", ({ text, streamingBehavior }, ctx) => {
		if (ctx.isIdle()) announcer.promptEntered();
		return enabled && streamingBehavior !== undefined ? mentionInPrompt(text, ctx) : undefined;
	});
	pi.on("agent_end", ({ messages }, ctx) => {
		const last = messages.at(-1);
		if (last?.role === "assistant" && last.stopReason === "aborted") void ui.turnAborted(ctx);
	});
	pi.on("agent_start", () => announcer.promptArrived());
	pi.on("agent_settled", (_event, ctx) => announcer.rested(talkIn(ctx)));
	pi.on("session_compact", (_event, ctx) => announcer.attendAgain(talkIn(ctx)));
	pi.on("session_shutdown", async ({ reason }, ctx) => {
		over.abort();
		try {
			// A reload does not end the turn.
			if (reason !== "reload") await calls.end();
			ui.end();
			rows.dispose();
			await announcer.stop(talkIn(ctx));
			if (reason === "quit") await ui.closing(ctx);
		} finally {
			events.end();
			await services.close();
		}
	});
	pi.registerShortcut(BACKGROUND_KEY, {
		description: "Send the subagents that the turn waits for to the background",
		handler: async (ctx) => (await import("./lazy.ts")).sendCallsToBackground(ctx, { calls, services }),
	});
	logToolUses(pi);
	registerCommands({
		...common,
		onStopped: (from) => announcer.attend(talkIn(from)),
		openInspector: (ctx) => ui.openInspector(ctx),
		liveProgress: (id) => live.progressOf(id),
		awaiting: { begin: (id) => announcer.await(id, "command"), end: (id) => announcer.endAwait(id) },
		over: over.signal,
		writeQuestions,
	});
	pi.registerMessageRenderer(ANNOUNCE, announceCard);
	pi.registerMessageRenderer(STOPPED_BY_USER, stoppedLine);
}
