import { useSignal } from "@preact/signals";
import { duration, plural } from "../../../run/amounts.ts";
import { ATTEMPT_ENDED } from "../../../run/ending-words.ts";
import type { PageRun, RunSpan } from "../../api/runs.ts";
import { now } from "../data/live.ts";
import { runLink } from "../data/route.ts";
import { runList } from "../data/run-list.ts";
import { useElementWidth } from "../parts/element-width.ts";
import { Foreign } from "../parts/foreign.tsx";
import { StateMark } from "../parts/state.tsx";
import { folderName, spanWords, titleOfRun, toneOf } from "../parts/words.ts";
import { selectedId } from "./selection.ts";
import {
	type Family,
	familiesIn,
	fittingRange,
	isLastAttempt,
	lastOf,
	RANGES,
	type Timespan,
	ticksOf,
} from "./timeline.ts";

/** As the style sheet has it. */
const BAR_ROW_PX = 26;
const BAR_PX = 12;
const AXIS_PX = 24;
const TIME_TICK_PX = 90;
/** Even a very short wait or attempt is visible and can be pointed at. */
const LEAST_PX = 3;

/** Shows which runs waited, for what and how long, and which ran at the same time. */
export function Waterfall() {
	const chosen = useSignal<string>("fit");
	const { rows } = runList.value;
	if (rows.length === 0) return null;
	const at = now.value;
	const range = RANGES.find(({ name }) => name === chosen.value);
	const span = range ? lastOf(range.ms, at) : fittingRange(rows, at);
	const { families, hidden } = familiesIn(rows, span, at);
	return (
		<section class="card waterfall-card" aria-labelledby="waterfall-title">
			<header class="card-head">
				<h2 id="waterfall-title">Timeline</h2>
				<Legend hasUnknown={families.some(({ runs }) => runs.some(isPartlyUnknown))} />
				<select
					aria-label="Timespan"
					value={chosen.value}
					onChange={({ currentTarget }) => {
						chosen.value = currentTarget.value;
					}}
				>
					<option value="fit">Latest runs</option>
					{RANGES.map(({ name }) => (
						<option value={name}>Last {name}</option>
					))}
				</select>
			</header>
			{families.length === 0 ? (
				<p class="empty">No runs in this timespan.</p>
			) : (
				<Rows families={families} span={span} at={at} />
			)}
			{hidden > 0 && <p class="note">{hidden} more in this timespan, in the list below.</p>}
		</section>
	);
}

/** Whether an older pi-geon ran it, which recorded no attempts. */
const isPartlyUnknown = ({ spans }: PageRun): boolean => spans.some(({ kind }) => kind === "unknown");

function Legend({ hasUnknown }: { hasUnknown: boolean }) {
	return (
		<ul class="legend" aria-label="Colors">
			<li>
				<i class="swatch wait" /> queued
			</li>
			<li>
				<i class="swatch running" /> running
			</li>
			<li>
				<i class="swatch success" /> finished
			</li>
			<li>
				<i class="swatch failure" /> failed
			</li>
			<li>
				<i class="swatch again" /> retried
			</li>
			{hasUnknown && (
				<li>
					<i class="swatch unknown" /> not recorded
				</li>
			)}
		</ul>
	);
}

function Rows({ families, span, at }: { families: readonly Family[]; span: Timespan; at: number }) {
	const [box, width] = useElementWidth<HTMLDivElement>();
	const lines = families.flatMap((family) => [family, ...family.runs]);
	const height = AXIS_PX + lines.length * BAR_ROW_PX;
	const scale = scaleOf(span, width);
	const count = families.reduce((sum, { runs }) => sum + runs.length, 0);
	const label = `${count} runs of ${families.length} conversations over ${duration(span.to - span.from)}`;
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
		<section class="waterfall" tabIndex={0} aria-label={label}>
			<div class="waterfall-names">
				<div class="waterfall-corner" />
				{lines.map((line) => ("runs" in line ? <FamilyName family={line} /> : <RunName run={line} />))}
			</div>
			<div ref={box} class="waterfall-bars">
				<svg width={width} height={height} aria-hidden="true">
					<defs>
						<pattern id="waiting" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
							<rect width="6" height="6" class="hatch-ground" />
							<rect width="2" height="6" class="hatch-line" />
						</pattern>
					</defs>
					<Axis span={span} width={width} height={height} scale={scale} />
					{lines.map((line, index) => {
						const top = AXIS_PX + index * BAR_ROW_PX;
						if ("runs" in line) return <FamilyBar key={line.session} family={line} top={top} scale={scale} at={at} />;
						return <RunBars key={line.runId} run={line} top={top} scale={scale} at={at} width={width} />;
					})}
				</svg>
			</div>
		</section>
	);
}

type Scale = (time: number) => number;

const scaleOf = ({ from, to }: Timespan, width: number): Scale => {
	return (time) => Math.max(0, Math.min(width, ((time - from) / (to - from)) * width));
};

function FamilyName({ family: { cwd, session, runs } }: { family: Family }) {
	return (
		<div class="waterfall-name family" title={`Conversation ${session}`}>
			<Foreign text={folderName(cwd)} />
			<span class="faint">{plural(runs.length, "run")}</span>
		</div>
	);
}

function RunName({ run }: { run: PageRun }) {
	const isSelected = selectedId.value === run.runId;
	return (
		<a class={`waterfall-name ${isSelected ? "selected" : ""}`} href={runLink(run.runId)} title={titleOfRun(run)}>
			<StateMark run={run} />
			<b>
				<Foreign text={run.agent} />
			</b>
			<Foreign text={titleOfRun(run)} class="faint" />
		</a>
	);
}

function Axis({ span, width, height, scale }: { span: Timespan; width: number; height: number; scale: Scale }) {
	return (
		<g class="axis">
			{ticksOf(span, Math.max(2, Math.floor(width / TIME_TICK_PX))).map(({ at, step }) => (
				<g key={at} transform={`translate(${scale(at)} 0)`}>
					<line y1={AXIS_PX - 6} y2={height} />
					{scale(at) < width - TIME_TICK_PX * 0.7 && (
						<text y={13} x={4}>
							{tickWords(at, step)}
						</text>
					)}
				</g>
			))}
		</g>
	);
}

function tickWords(at: number, step: number): string {
	const date = new Date(at);
	const two = (amount: number) => String(amount).padStart(2, "0");
	if (step >= 86_400_000) return date.toLocaleDateString(undefined, { month: "short", day: "numeric" });
	const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
	return step < 60_000 ? `${time}:${two(date.getSeconds())}` : time;
}

interface BarPlace {
	top: number;
	scale: Scale;
	at: number;
}

/** A thin line from the first to the last of its runs. */
function FamilyBar({ family, top, scale, at }: { family: Family } & BarPlace) {
	const [from, to] = [scale(family.from), scale(family.to ?? at)];
	const y = top + BAR_ROW_PX / 2;
	return (
		<path
			class={`family-bar ${family.to === undefined ? "open" : ""}`}
			d={`M${from} ${y + 4}V${y}H${Math.max(from + 2, to)}${family.to === undefined ? "" : "v4"}`}
		/>
	);
}

function RunBars({ run, top, scale, at, width }: { run: PageRun; width: number } & BarPlace) {
	const y = top + (BAR_ROW_PX - BAR_PX) / 2;
	const ended = scale(run.endedAt ?? at);
	return (
		<a href={runLink(run.runId)} tabindex={-1} aria-label={run.agent}>
			<rect
				class={`bar-row ${selectedId.value === run.runId ? "selected" : ""}`}
				y={top}
				width={width}
				height={BAR_ROW_PX}
			/>
			{run.spans.map((span, index) => (
				<SpanBar key={index} run={run} span={span} y={y} scale={scale} at={at} />
			))}
			{ended < width - 70 && (
				<text class="bar-words" x={ended + 7} y={y + BAR_PX - 2}>
					{spanWords((run.endedAt ?? at) - run.createdAt, run.endedAt === undefined)}
				</text>
			)}
		</a>
	);
}

function SpanBar({ run, span, y, scale, at }: { run: PageRun; span: RunSpan; y: number } & Omit<BarPlace, "top">) {
	const from = scale(span.from);
	const size = Math.max(LEAST_PX, scale(span.to ?? at) - from);
	const isOpen = span.to === undefined;
	const thin = span.kind === "wait" ? 3 : 0;
	return (
		<rect
			class={`span ${span.kind} ${isOpen ? "open" : ""} ${toneOfSpan(run, span)}`}
			x={from}
			y={y + thin}
			width={size}
			height={BAR_PX - 2 * thin}
			rx={span.kind === "wait" ? 1 : 3}
		>
			<title>{aboutSpan(span, at)}</title>
		</rect>
	);
}

/** The tone of a span. An attempt after which the run continued is not its success or failure. */
function toneOfSpan(run: PageRun, span: RunSpan): string {
	if (span.kind === "wait") return "";
	if (span.to === undefined) return toneOf(run);
	return span.kind === "attempt" && !isLastAttempt(run, span) ? "again" : toneOf(run);
}

function aboutSpan({ kind, from, to, attempt, model, cause }: RunSpan, at: number): string {
	const took = spanWords((to ?? at) - from, to === undefined);
	if (kind === "wait") return `waiting, ${took}`;
	if (kind === "unknown") return `${took}: an older pi-geon did not record when it waited and when it ran`;
	const how = to === undefined ? "running" : cause === undefined ? "ended" : ATTEMPT_ENDED[cause];
	return [`attempt ${attempt ?? 1}, ${took}: ${how}`, ...(model === undefined ? [] : [model])].join(" · ");
}
