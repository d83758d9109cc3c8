import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { count, dollars } from "../../../run/amounts.ts";
import { inputTokens } from "../../../run/usage.ts";
import type { PageRun } from "../../api.ts";
import { isFiltered } from "../data/filters.ts";
import { ledger, now } from "../data/live.ts";
import { runLink } from "../data/route.ts";
import { fetchMoreRuns, runList } from "../data/run-list.ts";
import { Foreign } from "../parts/foreign.tsx";
import { StateMark } from "../parts/state.tsx";
import { useVirtual } from "../parts/virtual.ts";
import { folderName, stateWord, titleOfRun, toneOf, tookOf, whenOf, wholeTime } from "../parts/words.ts";
import { moves, selectedId } from "./selection.ts";

/** As the style sheet has it. */
const ROW_PX = 48;
const NEAR_END = 40;

/** The list of runs; in the element that scrolls. */
export function RunRows({ scroller, isNarrow }: { scroller: () => HTMLElement | null; isNarrow: boolean }) {
	const { rows, next, isLoading, problem } = runList.value;
	const box = useRef<HTMLUListElement>(null);
	const [margin, setMargin] = useState(0);
	const virtual = useVirtual({
		count: rows.length,
		estimateSize: () => ROW_PX,
		getScrollElement: scroller,
		getItemKey: (index) => rows[index]?.runId ?? index,
		scrollMargin: margin,
	});
	useLayoutEffect(() => {
		// What is above it in the same scroller, which may grow.
		const above = box.current?.offsetTop ?? 0;
		if (above !== margin) setMargin(above);
	});
	const shown = virtual.getVirtualItems();
	const last = shown.at(-1)?.index ?? 0;
	useEffect(() => {
		if (next !== undefined && last > rows.length - NEAR_END) void fetchMoreRuns();
	}, [last, next, rows.length]);
	useScrollToSelection(rows, virtual);

	if (rows.length === 0) return <Nothing isLoading={isLoading} problem={problem} />;
	return (
		<ul
			ref={box}
			class={`rows ${isNarrow ? "narrow" : ""}`}
			aria-label="Runs"
			style={{ height: `${virtual.getTotalSize()}px` }}
		>
			{shown.map(({ index, start, key }) => {
				const row = rows[index];
				return row && <Row key={key} row={row} top={start - margin} />;
			})}
		</ul>
	);
}

function useScrollToSelection(rows: readonly PageRun[], virtual: ReturnType<typeof useVirtual>): void {
	const moved = moves.value;
	// Only a key moves it into sight, not a row that comes or goes.
	useEffect(() => {
		const index = rows.findIndex(({ runId }) => runId === selectedId.value);
		if (moved > 0 && index >= 0) virtual.scrollToIndex(index, { align: "auto" });
	}, [moved]);
}

function Row({ row, top }: { row: PageRun; top: number }) {
	const { runId, agent, usage, cwd, createdAt } = row;
	const isSelected = selectedId.value === runId;
	const tokens = inputTokens(usage) + usage.output;
	return (
		<li class="row-place" style={{ transform: `translateY(${top}px)` }}>
			<a
				class={`row ${isSelected ? "selected" : ""}`}
				href={runLink(runId)}
				aria-current={isSelected ? "true" : undefined}
				data-run={runId}
			>
				<StateMark run={row} />
				<span class="row-agent">
					<Foreign text={agent} />
				</span>
				<span class="row-title">
					<Foreign text={titleOfRun(row)} />
				</span>
				<span class={`row-state tone-${toneOf(row)}`}>{stateWord(row)}</span>
				<span class="row-folder">
					<Foreign text={folderName(cwd)} />
				</span>
				<span class="row-tokens">{tokens > 0 ? count(tokens) : ""}</span>
				<span class="row-cost">{usage.cost > 0 ? dollars(usage.cost) : ""}</span>
				<span class="row-took">{tookOf(row, now.value)}</span>
				<time class="row-when" title={wholeTime(createdAt)}>
					{whenOf(createdAt, now.value)}
				</time>
			</a>
		</li>
	);
}

function Nothing({ isLoading, problem }: { isLoading: boolean; problem: string | undefined }) {
	if (problem !== undefined) return <p class="empty failure">{problem}</p>;
	if (isLoading) return <p class="empty">Loading…</p>;
	if (isFiltered.value) return <p class="empty">No run matches these filters.</p>;
	if (ledger.value.state !== "ok" && ledger.value.state !== "absent") return <p class="empty">No runs can be shown.</p>;
	return (
		<div class="empty">
			<p>No runs yet.</p>
			<p>
				Ask pi to delegate something, or run <code>/subagents run explorer "…"</code>. Runs appear here as they start.
			</p>
		</div>
	);
}
