import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { count, dollars } from "../../../run/amounts.ts";
import { inputTokens } from "../../../run/usage.ts";
import type { PageRun } from "../../api/runs.ts";
import { isFiltered } from "../data/filters.ts";
import { ledger, now } from "../data/live.ts";
import { runLink } from "../data/route.ts";
import { fetchMoreRuns, runList } from "../data/run-list.ts";
import { Foreign } from "../parts/foreign.tsx";
import { StateMark } from "../parts/state.tsx";
import { useMedia } from "../parts/use-media.ts";
import { useVirtual } from "../parts/virtual.ts";
import { folderName, stateWord, titleOfRun, toneOf, tookOf, whenOf, wholeTime } from "../parts/words.ts";
import { moves, selectedId } from "./selection.ts";

/** As the style sheet has it: on one line, or on two where there is little room. */
const ROW_PX = { one: 38, two: 48 };
const ROOM_FOR_ONE_LINE = "(min-width: 721px)";
const NEAR_END = 40;

/** The list of runs; in the element that scrolls. */
export function RunRows({ scroller, isNarrow }: { scroller: () => HTMLElement | null; isNarrow: boolean }) {
	const { rows, next, isLoading, problem } = runList.value;
	const box = useRef<HTMLUListElement>(null);
	const [margin, setMargin] = useState(0);
	const hasRoom = useMedia(ROOM_FOR_ONE_LINE) && !isNarrow;
	const height = hasRoom ? ROW_PX.one : ROW_PX.two;
	const virtual = useVirtual({
		count: rows.length,
		estimateSize: () => height,
		getScrollElement: scroller,
		getItemKey: (index) => rows[index]?.runId ?? index,
		scrollMargin: margin,
	});
	useLayoutEffect(() => {
		// The height of the elements above it in the same scroller, which may grow.
		const above = box.current?.offsetTop ?? 0;
		if (above !== margin) setMargin(above);
	});
	const shown = virtual.getVirtualItems();
	const last = shown.at(-1)?.index ?? 0;
	useEffect(() => {
		if (next !== undefined && last > rows.length - NEAR_END) void fetchMoreRuns();
	}, [last, next, rows.length]);
	// Rows that were laid out with the other height are at the wrong place.
	useLayoutEffect(() => virtual.measure(), [virtual, height]);
	useScrollToSelection(rows, virtual);

	if (rows.length === 0) return <Nothing isLoading={isLoading} problem={problem} />;
	return (
		<>
			{hasRoom && <Headings />}
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
		</>
	);
}

/** For the eye only: each row is one link, and contains all of this itself. */
const Headings = () => (
	<div class="row-grid headings" aria-hidden="true">
		<span />
		<span>Agent</span>
		<span>Task</span>
		<span>State</span>
		<span class="row-folder">Folder</span>
		<span class="row-tokens">Tokens</span>
		<span class="row-cost">Cost</span>
		<span class="row-took">Took</span>
		<span class="row-when">Asked</span>
	</div>
);

function useScrollToSelection(rows: readonly PageRun[], virtual: ReturnType<typeof useVirtual>): void {
	const moved = moves.value;
	// Scroll to it only after a key, not when a row appears or disappears.
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
				class={`row row-grid ${isSelected ? "selected" : ""}`}
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
