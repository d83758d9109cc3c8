import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ChangesInDetail, Diff, RunDetail } from "../../api/runs.ts";
import { ask } from "../data/request.ts";
import { Foreign } from "../parts/foreign.tsx";
import { wholeTime } from "../parts/words.ts";
import { askApply, askBranch, askDiscard, askUndo, doing } from "./actions.tsx";
import { type FileDiff, filesOfDiff } from "./diff-text.ts";

/** Limits for a file: how many lines start unfolded, and how many are shown at all. */
const LINES_AT_FIRST = 400;
const MOST_LINES = 5000;

/** The changes of the run in its tree, and what to do with them. */
export function ChangesView({ run }: { run: RunDetail }) {
	const { changesView: changes, changesProblem } = run;
	if (!changes) {
		return (
			<p class="empty">
				{changesProblem ?? "It has no changes: it has no tree of its own, has not finished, or changed nothing."}
			</p>
		);
	}
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
		<section class="pane-scroll changes" tabIndex={0} aria-label="Changes">
			<ChangesHead run={run} changes={changes} />
			{changes.state === "discarded" ? null : <DiffView runId={run.runId} />}
		</section>
	);
}

function ChangesHead({ run, changes }: { run: RunDetail; changes: ChangesInDetail }) {
	const { state, total, branch, warnings, events } = changes;
	const isBusy = doing.value !== undefined;
	return (
		<header class="changes-head">
			<div class="changes-line">
				<span class={`badge changes-${state}`}>{state}</span>
				<span>
					{total.files} {total.files === 1 ? "file" : "files"} <span class="added">+{total.added}</span>{" "}
					<span class="removed">−{total.removed}</span>
				</span>
				{branch !== undefined && (
					<span>
						on branch <Foreign text={branch} />
					</span>
				)}
				<span class="grow" />
				{run.can.apply && (
					<button type="button" class="solid" disabled={isBusy} onClick={() => askApply(run)}>
						Apply <kbd>a</kbd>
					</button>
				)}
				{run.can.undo && (
					<button type="button" disabled={isBusy} onClick={() => askUndo(run)}>
						Undo <kbd>a</kbd>
					</button>
				)}
				{run.can.branch && (
					<button type="button" disabled={isBusy} onClick={() => askBranch(run)}>
						Branch <kbd>b</kbd>
					</button>
				)}
				{run.can.discard && (
					<button type="button" class="danger" disabled={isBusy} onClick={() => askDiscard(run)}>
						Discard
					</button>
				)}
			</div>
			{warnings.map((warning) => (
				<p class="warning">
					<Foreign text={warning} />
				</p>
			))}
			{events.length > 0 && (
				<ul class="events">
					{events.map(({ what, by, at }) => (
						<li>
							{what} by <Foreign text={by} />, {wholeTime(at)}
						</li>
					))}
				</ul>
			)}
		</header>
	);
}

function DiffView({ runId }: { runId: string }) {
	const diff = useSignal<Diff | undefined>(undefined);
	const problem = useSignal<string | undefined>(undefined);
	useEffect(() => {
		const asking = new AbortController();
		ask<Diff>("diff", { id: runId, signal: asking.signal }).then(
			(answer) => {
				diff.value = answer;
			},
			(error: Error) => {
				if (!asking.signal.aborted) problem.value = error.message;
			},
		);
		return () => asking.abort();
	}, [runId, diff, problem]);
	const files = useMemo(() => filesOfDiff(diff.value?.text ?? ""), [diff.value]);
	if (problem.value !== undefined) return <p class="empty failure">{problem.value}</p>;
	if (!diff.value) return <p class="empty">Loading…</p>;
	return (
		<>
			{files.map((file) => (
				<FileView key={file.path} file={file} />
			))}
			{diff.value.cutBytes > 0 && (
				<p class="note">
					{diff.value.cutBytes.toLocaleString()} bytes more are in <Foreign text={diff.value.patch} />.
				</p>
			)}
		</>
	);
}

function FileView({ file }: { file: FileDiff }) {
	const isOpen = useSignal(file.lines.length <= LINES_AT_FIRST);
	const { path, notes, lines, added, removed } = file;
	return (
		<section class="file" aria-label={path}>
			<button
				type="button"
				class="file-head"
				aria-expanded={isOpen.value}
				onClick={() => {
					isOpen.value = !isOpen.value;
				}}
			>
				<span class="fold-sign" aria-hidden="true" />
				<Foreign text={path} class="file-path" />
				<span class="added">+{added}</span>
				<span class="removed">−{removed}</span>
			</button>
			{isOpen.value && (
				<div class="file-body">
					{notes.map((note) => (
						<p class="file-note">
							<Foreign text={note} />
						</p>
					))}
					<Lines lines={lines} />
				</div>
			)}
		</section>
	);
}

function Lines({ lines }: Pick<FileDiff, "lines">) {
	if (lines.length === 0) return null;
	return (
		<>
			<table class="diff">
				<caption class="sr-only">Changed lines</caption>
				<tbody>
					{lines.slice(0, MOST_LINES).map(({ kind, text, before, after }, index) => (
						<tr key={index} class={`diff-${kind}`}>
							<td class="line-number">{before ?? ""}</td>
							<td class="line-number">{after ?? ""}</td>
							<td class="line-sign">{SIGNS[kind]}</td>
							<td class="line-text" dir="ltr">
								<Foreign text={text} />
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{lines.length > MOST_LINES && <p class="note">{lines.length - MOST_LINES} more lines are not shown.</p>}
		</>
	);
}

const SIGNS = { hunk: "", added: "+", removed: "−", same: "", note: "" } as const;
