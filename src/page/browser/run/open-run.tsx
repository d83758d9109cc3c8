import type { ComponentChildren } from "preact";
import { count, dollars, plural } from "../../../run/amounts.ts";
import { inputTokens } from "../../../run/usage.ts";
import type { RunDetail } from "../../api/runs.ts";
import { hello, now } from "../data/live.ts";
import { progress, questions, runDetail, runProblem } from "../data/open-run.ts";
import { type RunTab, route, runLink, viewLink } from "../data/route.ts";
import { Foreign, ForeignBlock } from "../parts/foreign.tsx";
import { StateBadge } from "../parts/state.tsx";
import { useMedia } from "../parts/use-media.ts";
import { folderName, titleOfRun, tookOf } from "../parts/words.ts";
import { askStop, copyAnswer, doing, writingTo } from "./actions.tsx";
import { ChangesView } from "./changes-view.tsx";
import { DetailsView } from "./details-view.tsx";
import { ExportDialog, exporting } from "./export-dialog.tsx";
import { MessageBox } from "./message-box.tsx";
import { QuestionBox } from "./question-box.tsx";
import { TranscriptView } from "./transcript-view.tsx";

/** From this width on there is room for the details beside the transcript. */
const ROOM_FOR_BOTH = "(min-width: 1600px)";

/** One run: its transcript, its changes and its details. */
export function OpenRun() {
	const run = runDetail.value;
	const hasRoom = useMedia(ROOM_FOR_BOTH);
	if (!run) {
		return (
			<main class="run">
				<Back />
				<p class={`empty ${runProblem.value === undefined ? "" : "failure"}`}>{runProblem.value ?? "Loading…"}</p>
			</main>
		);
	}
	const tab = hasRoom && route.value.tab === "details" ? "transcript" : route.value.tab;
	return (
		<main class="run" data-run={run.runId}>
			<RunHead run={run} />
			{questions.value.map((question) => (
				<QuestionBox key={question.questionId} run={run} question={question} />
			))}
			{run.error !== undefined && (
				<div class="problem">
					<ForeignBlock text={run.error} />
				</div>
			)}
			{writingTo.value === run.runId && <MessageBox run={run} />}
			{exporting.value === run.runId && <ExportDialog run={run} />}
			<Tabs run={run} tab={tab} hasRoom={hasRoom} />
			<div class={`run-body ${hasRoom ? "with-details" : ""}`}>
				<div class="run-main">
					{tab === "transcript" && <TranscriptView key={run.runId} />}
					{tab === "changes" && <ChangesView run={run} />}
					{tab === "details" && <DetailsView run={run} />}
				</div>
				{hasRoom && (
					<aside class="run-aside" aria-label="About this run">
						<DetailsView run={run} />
					</aside>
				)}
			</div>
		</main>
	);
}

const Back = () => (
	<a class="back" href={viewLink("runs")}>
		<span aria-hidden="true">←</span> All runs
	</a>
);

function RunHead({ run }: { run: RunDetail }) {
	const isBusy = doing.value !== undefined;
	const { can } = run;
	return (
		<header class="run-head">
			<div class="run-top">
				<Back />
				<span class="grow" />
				<div class="actions">
					{can.send && (
						<button
							type="button"
							disabled={isBusy}
							onClick={() => {
								writingTo.value = run.runId;
							}}
						>
							{run.phase === "ended" ? "Resume" : "Message"} <kbd>m</kbd>
						</button>
					)}
					<button type="button" onClick={() => void copyAnswer(run)}>
						Copy answer <kbd>c</kbd>
					</button>
					<button
						type="button"
						onClick={() => {
							exporting.value = run.runId;
						}}
					>
						Export <kbd>e</kbd>
					</button>
					{can.stop && (
						<button type="button" class="danger" disabled={isBusy} onClick={() => askStop(run)}>
							Stop <kbd>x</kbd>
						</button>
					)}
				</div>
			</div>
			<h1>
				<Foreign text={run.agent} class="run-agent" /> <Foreign text={titleOfRun(run)} />
			</h1>
			<RunNumbers run={run} />
			{hello.value?.readOnly !== undefined && <p class="faint">{hello.value.readOnly}</p>}
		</header>
	);
}

function RunNumbers({ run }: { run: RunDetail }) {
	const usage = run.phase === "ended" ? run.usage : (progress.value?.usage ?? run.usage);
	const read = inputTokens(usage);
	return (
		<p class="run-numbers">
			<StateBadge run={run} />
			<span>{tookOf(run, now.value)}</span>
			{usage.turns > 0 && <span>{plural(usage.turns, "turn")}</span>}
			{read + usage.output > 0 && (
				<span>
					{count(read)} in / {count(usage.output)} out
				</span>
			)}
			{usage.cost > 0 && <span>{dollars(usage.cost)}</span>}
			<span>
				<Foreign text={run.model} />
			</span>
			<span title={run.cwd}>
				<Foreign text={folderName(run.cwd)} />
			</span>
			{run.messagesWaiting > 0 && <span>{plural(run.messagesWaiting, "message")} waiting</span>}
			{run.warnings.length > 0 && (
				<a class="tone-asking" href={runLink(run.runId, "details")}>
					{plural(run.warnings.length, "warning")}
				</a>
			)}
		</p>
	);
}

function Tabs({ run, tab, hasRoom }: { run: RunDetail; tab: RunTab; hasRoom: boolean }) {
	const { changesView: changes } = run;
	return (
		<nav class="tabs" aria-label="Parts of this run">
			<Tab run={run} name="transcript" open={tab}>
				Transcript
			</Tab>
			{(changes || run.changesProblem !== undefined || tab === "changes") && (
				<Tab run={run} name="changes" open={tab}>
					Changes
					{changes && <span class="tab-count">{changes.total.files}</span>}
				</Tab>
			)}
			{!hasRoom && (
				<Tab run={run} name="details" open={tab}>
					Details
				</Tab>
			)}
		</nav>
	);
}

interface TabProps {
	run: RunDetail;
	name: RunTab;
	open: RunTab;
	children: ComponentChildren;
}

const Tab = ({ run, name, open, children }: TabProps) => (
	<a class="tab" href={runLink(run.runId, name)} aria-current={open === name ? "page" : undefined}>
		{children}
	</a>
);
