import type { ComponentChildren } from "preact";
import { count, dollars, duration, plural } from "../../../run/amounts.ts";
import { ATTEMPT_ENDED } from "../../../run/ending-words.ts";
import { inputTokens } from "../../../run/usage.ts";
import type { RunDetail } from "../../api/runs.ts";
import { now } from "../data/live.ts";
import { runLink } from "../data/route.ts";
import { Foreign, ForeignBlock } from "../parts/foreign.tsx";
import { StateMark } from "../parts/state.tsx";
import { spanWords, stateWord, timeOfDay, wholeTime } from "../parts/words.ts";
import { UsageCharts } from "./usage-charts.tsx";

/** Everything that is known about a run, apart from its transcript. */
export function DetailsView({ run }: { run: RunDetail }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
		<section class="pane-scroll details" tabIndex={0} aria-label="Details">
			{run.warnings.length > 0 && (
				<Part title="Warnings">
					{run.warnings.map((warning) => (
						<p class="warning">
							<Foreign text={warning} />
						</p>
					))}
				</Part>
			)}
			<Part title="Attempts">
				<Attempts run={run} />
			</Part>
			<Part title="Tokens and cost">
				<UsageCharts />
			</Part>
			<Part title="Sandbox">
				<Sandbox run={run} />
			</Part>
			{run.session.length > 1 && (
				<Part title="Runs of this session">
					<SessionRuns run={run} />
				</Part>
			)}
			<Part title="Facts">
				<Facts run={run} />
			</Part>
		</section>
	);
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
	<section class="part">
		<h3>{title}</h3>
		{children}
	</section>
);

function Attempts({ run }: { run: RunDetail }) {
	const at = now.value;
	return (
		<>
			<ol class="attempts">
				{run.spans.map(({ kind, from, to, attempt, model, cause }) => {
					const took = spanWords((to ?? at) - from, to === undefined);
					const how = to === undefined ? "running" : cause === undefined ? "ended" : ATTEMPT_ENDED[cause];
					return (
						<li class={`attempt-row ${kind}`}>
							<span class="attempt-when">{timeOfDay(from)}</span>
							<span class="attempt-took">{took}</span>
							<span>
								{kind === "wait" && "queued"}
								{kind === "unknown" && "an older pi-geon did not record it"}
								{kind === "attempt" && `attempt ${attempt ?? 1}: ${how}`}
								{kind === "attempt" && model !== undefined && (
									<span class="faint">
										{" "}
										<Foreign text={model} />
									</span>
								)}
							</span>
						</li>
					);
				})}
			</ol>
			{!run.attemptsKnown && <p class="faint">An older pi-geon ran some of these attempts and recorded no times.</p>}
			{run.hops.map(({ words }) => (
				<p class="warning">
					<Foreign text={words} />
				</p>
			))}
		</>
	);
}

function Sandbox({ run: { sandbox, sandboxReport, phase } }: { run: RunDetail }) {
	if (!sandboxReport)
		return <p class="faint">{phase === "ended" ? "Nothing was recorded." : "Known once it has finished."}</p>;
	const { enforced, by, write, network, denials = 0, policyOnly = [] } = sandboxReport;
	return (
		<>
			<p class="chips">
				<span class={`badge ${enforced === "kernel" ? "tone-success" : "tone-asking"}`}>
					{enforced === "kernel" ? `enforced by the kernel${by === undefined ? "" : ` (${by})`}` : "policy only"}
				</span>
				<span class="badge">{WRITES[write]}</span>
				<span class="badge">network {network}</span>
				{denials > 0 && <span class="badge tone-failure">{denials} denied</span>}
				{policyOnly.length > 0 && <span class="badge tone-asking">by policy only: {policyOnly.join(", ")}</span>}
			</p>
			{enforced !== "kernel" && sandbox !== undefined && (
				<p class="faint">
					<Foreign text={sandbox} />
				</p>
			)}
		</>
	);
}

const WRITES = {
	none: "writes nothing",
	worktree: "writes in its own tree",
	checkout: "writes in the checkout",
} as const;

const SessionRuns = ({ run }: { run: RunDetail }) => (
	<ul class="session-runs">
		{run.session.map((other) => (
			<li>
				<a href={runLink(other.runId)} aria-current={other.runId === run.runId ? "page" : undefined}>
					<StateMark run={other} /> {other.runId}
				</a>
				<span class="faint"> {wholeTime(other.createdAt)}</span>
			</li>
		))}
	</ul>
);

function Facts({ run }: { run: RunDetail }) {
	const { usage, limits } = run;
	const facts: [string, string | undefined][] = [
		["state", `${stateWord(run)}${run.exitCode === undefined ? "" : ` (exit code ${run.exitCode})`}`],
		["run", run.runId],
		["accepted", wholeTime(run.createdAt)],
		["started", run.startedAt === undefined ? "not yet" : wholeTime(run.startedAt)],
		["finished", run.endedAt === undefined ? undefined : wholeTime(run.endedAt)],
		["stop", run.stop && `requested by ${run.stop.by}, ${wholeTime(run.stop.at)}`],
		["attempt", `${run.attempt} of at most ${run.maxAttempts}`],
		["host", run.host],
		["usage", usageInWords(usage)],
		["delivery", run.delivery],
		["messages", run.messagesWaiting > 0 ? `${run.messagesWaiting} waiting` : undefined],
		["agent", `${run.agent} (${run.agentFile})`],
		["agent id", run.principal === "main" ? undefined : run.principal],
		["kind", run.kind],
		["model", run.thinking === undefined ? run.model : `${run.model}, thinking ${run.thinking}`],
		["fallback", run.fallbackModels?.join(", then ")],
		["tools", run.tools.join(", ")],
		["skills", run.skills?.join(", ")],
		["context", run.context && "fork: began with a copy of the conversation"],
		["limits", `${duration(limits.timeoutMs)} total · ${duration(limits.idleTimeoutMs)} idle`],
		["directory", run.cwd],
		["transcript", run.transcript],
		["cleanup", run.archivedAt === undefined ? run.cleanup : `${run.cleanup}, archived ${wholeTime(run.archivedAt)}`],
		["session id", run.sessionId],
		["session key", run.sessionKey],
		["asked by", `session ${run.parentSession}`],
	];
	return (
		<>
			<dl class="facts">
				{facts.flatMap(([name, value]) =>
					value === undefined
						? []
						: [
								<dt key={name}>{name}</dt>,
								<dd key={`${name}-value`}>
									<Foreign text={value} />
								</dd>,
							],
				)}
			</dl>
			<h4>Task</h4>
			<ForeignBlock text={run.wholeTask} />
		</>
	);
}

function usageInWords(usage: RunDetail["usage"]): string {
	const input = inputTokens(usage);
	return [
		plural(usage.turns, "turn"),
		`${count(input + usage.output)} tokens (${count(input)} in / ${count(usage.output)} out)`,
		...(usage.cacheRead > 0 ? [`${count(usage.cacheRead)} read from cache`] : []),
		...(usage.cost > 0 ? [dollars(usage.cost)] : []),
	].join(" · ");
}
