import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Logs } from "../../api/views.ts";
import { overview } from "../data/live.ts";
import { ask } from "../data/request.ts";
import { route, runLink, setQuery } from "../data/route.ts";
import { Foreign } from "../parts/foreign.tsx";
import { useVirtual } from "../parts/virtual.ts";
import { timeOfDay, wholeTime } from "../parts/words.ts";
import { NotYet, useFetched } from "./fetched.tsx";

const LEVEL_NAMES = ["debug", "info", "warn", "error"] as const;
const LIMIT = 1000;
const LINE_PX = 30;

type Line = Logs["lines"][number];

/** What parents and hosts logged, newest first. */
export function LogsView() {
	const { query } = route.value;
	const [run, agent, level, text] = ["run", "agent", "level", "text"].map((name) => query.get(name) ?? "");
	const round = useSignal(0);
	const { answer, problem } = useFetched(
		(signal) => ask<Logs>("logs", { signal, query: { run, agent, level, limit: LIMIT } }),
		`${run} ${agent} ${level} ${round.value}`,
	);
	const wanted = (text ?? "").toLowerCase();
	const lines = (answer.value?.lines ?? []).filter((line) => hasWords(line, wanted)).toReversed();
	return (
		<main class="page logs-page">
			<header class="page-head">
				<h1>Logs</h1>
				<search class="filters" aria-label="Filter logs">
					<input
						type="search"
						placeholder="Search"
						aria-label="Search logs"
						value={text}
						onInput={({ currentTarget }) => setQuery({ text: currentTarget.value })}
					/>
					<select
						aria-label="Level"
						value={level}
						onChange={({ currentTarget }) => setQuery({ level: currentTarget.value })}
					>
						<option value="">Any level</option>
						{LEVEL_NAMES.map((each) => (
							<option value={each}>{each}</option>
						))}
					</select>
					<select
						aria-label="Agent"
						value={agent}
						onChange={({ currentTarget }) => setQuery({ agent: currentTarget.value })}
					>
						<option value="">Any agent</option>
						{(overview.value?.agents ?? []).map((each) => (
							<option value={each}>{each}</option>
						))}
					</select>
					<RunField run={run ?? ""} />
					<button
						type="button"
						onClick={() => {
							round.value++;
						}}
					>
						Refresh
					</button>
					<span class="count" role="status">
						{lines.length.toLocaleString()} lines
					</span>
				</search>
			</header>
			{answer.value ? <LogLines lines={lines} /> : <NotYet problem={problem.value} />}
		</main>
	);
}

/**
 * Filters by a run once its id is complete, not by each letter. The view is drawn again while the user types: when lines
 * arrive, and with every live update. So the field shows the typed text, not the value in the address.
 */
function RunField({ run }: { run: string }) {
	const typed = useSignal<string | undefined>(undefined);
	return (
		<input
			type="text"
			class="run-field"
			placeholder="Run id"
			aria-label="Run id"
			value={typed.value ?? run}
			onInput={({ currentTarget }) => {
				typed.value = currentTarget.value;
			}}
			onChange={({ currentTarget }) => {
				setQuery({ run: currentTarget.value.trim() });
				typed.value = undefined;
			}}
			// Typing a filter and deleting it again has no effect.
			onBlur={() => {
				typed.value = undefined;
			}}
		/>
	);
}

const hasWords = ({ message, facts, runId = "" }: Line, wanted: string): boolean =>
	wanted === "" || `${message} ${runId} ${factsInLine(facts)}`.toLowerCase().includes(wanted);

function LogLines({ lines }: { lines: readonly Line[] }) {
	const box = useRef<HTMLDivElement>(null);
	const virtual = useVirtual({
		count: lines.length,
		estimateSize: () => LINE_PX,
		getScrollElement: () => box.current,
		overscan: 20,
	});
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
		<section ref={box} class="card log" tabIndex={0} aria-label="Log lines">
			{lines.length === 0 && <p class="empty">No lines.</p>}
			<div class="log-inner" style={{ height: `${virtual.getTotalSize()}px` }}>
				{virtual.getVirtualItems().map(({ index, start }) => {
					const line = lines[index];
					return (
						line && (
							<div
								key={index}
								data-index={index}
								ref={(element) => virtual.measureElement(element)}
								class={`log-line level-${line.level}`}
								style={{ transform: `translateY(${start}px)` }}
							>
								<LogLineView line={line} />
							</div>
						)
					);
				})}
			</div>
		</section>
	);
}

function LogLineView({ line: { time, level, role, message, runId, agent, facts } }: { line: Line }) {
	const at = Date.parse(time);
	return (
		<>
			<time title={Number.isNaN(at) ? time : wholeTime(at)}>{Number.isNaN(at) ? "–" : timeOfDay(at)}</time>
			<span class="log-level">{level}</span>
			<span class="log-role">{role}</span>
			<span class="log-words">
				<Foreign text={message} />
				{runId !== undefined && (
					<>
						{" "}
						<a href={runLink(runId)}>{runId}</a>
					</>
				)}
				{agent !== undefined && (
					<>
						{" "}
						<Foreign text={agent} class="faint" />
					</>
				)}{" "}
				<Foreign text={factsInLine(facts)} class="faint" />
			</span>
		</>
	);
}

const factsInLine = (facts: Line["facts"]): string =>
	Object.entries(facts)
		.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
		.join(" ");
