import { useSignal } from "@preact/signals";
import { apartTicks, areaPath, evenTicks, nearestTo, niceTicks, stepPath } from "./chart-shapes.ts";
import { useElementWidth } from "./element-width.ts";

export interface Series {
	label: string;
	/** A custom property of the style sheet. */
	color: `--${string}`;
	values: readonly number[];
	format(value: number): string;
}

interface ChartProps {
	/** Milliseconds since 1970, ascending. */
	times: readonly number[];
	series: readonly Series[];
	/** bars: a sum for each time. steps: the total up to then. */
	kind: "bars" | "steps";
	height: number;
	/** Describes the chart for users who cannot see it. */
	label: string;
	/** How a time is written, on the axis and beside a value. */
	axisWords(time: number): string;
	timeWords(time: number): string;
}

const LEFT = 58;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 20;
const TICK_PX = 90;
const MOST_BAR_PX = 40;
/** Half the width of a label below the chart. */
const HALF_WORD_PX = 28;

/** A chart in SVG, with the colours of the style sheet. A library would take up a quarter of the page. */
export function Chart(props: ChartProps) {
	const { times, series, kind, height, label, axisWords, timeWords } = props;
	const [box, width] = useElementWidth<HTMLDivElement>();
	const pointed = useSignal<number | undefined>(undefined);
	const [first = 0, last = 1] = [times[0], times.at(-1)];
	const inner = { width: Math.max(1, width - LEFT - RIGHT), height: height - TOP - BOTTOM };
	const slot = inner.width / Math.max(1, times.length);
	const pad = kind === "bars" ? slot / 2 : 0;
	const most = Math.max(...series.flatMap(({ values }) => values), 0);
	const ticks = niceTicks(most, 4);
	const top = ticks.at(-1) ?? 1;
	const x = (time: number) => LEFT + pad + ((time - first) / Math.max(1, last - first)) * (inner.width - 2 * pad);
	const y = (value: number) => TOP + inner.height * (1 - value / top);
	const at = pointed.value ?? times.length - 1;
	const timeTicks = () =>
		kind === "bars" ? evenTicks(times, Math.floor(inner.width / TICK_PX)) : apartTicks(times, x, TICK_PX);
	/** The first and the last label stay inside. */
	const anchorAt = (place: number) =>
		place - LEFT < HALF_WORD_PX ? "start" : width - place < HALF_WORD_PX ? "end" : "middle";
	return (
		<figure class="chart">
			<div ref={box}>
				<svg
					width={width}
					height={height}
					role="img"
					aria-label={label}
					onPointerMove={({ offsetX }) => {
						pointed.value = nearestTo(
							times,
							first + ((offsetX - LEFT - pad) / (inner.width - 2 * pad)) * (last - first),
						);
					}}
					onPointerLeave={() => {
						pointed.value = undefined;
					}}
				>
					{ticks.map((value) => (
						<g key={value} class="chart-tick">
							<line x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
							<text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
								{series[0]?.format(value)}
							</text>
						</g>
					))}
					{timeTicks().map((time) => (
						<text key={time} class="chart-time" x={x(time)} y={height - 4} text-anchor={anchorAt(x(time))}>
							{axisWords(time)}
						</text>
					))}
					{series.map(({ label: name, color, values }) => {
						const points = values.map((value, index) => ({ x: x(times[index] ?? 0), y: y(value) }));
						if (kind === "bars") return <Bars key={name} points={points} color={color} slot={slot} floor={y(0)} />;
						return (
							<g key={name} style={{ color: `var(${color})` }}>
								<path class="chart-area" d={areaPath(points, y(0))} />
								<path class="chart-line" d={stepPath(points)} />
							</g>
						);
					})}
					{pointed.value !== undefined && (
						<line
							class="chart-pointed"
							x1={x(times[at] ?? 0)}
							x2={x(times[at] ?? 0)}
							y1={TOP}
							y2={TOP + inner.height}
						/>
					)}
				</svg>
			</div>
			<figcaption class="chart-legend">
				{series.map(({ label: name, color, values, format }) => (
					<span key={name}>
						<i style={{ background: `var(${color})` }} /> {name} <b>{format(values[at] ?? 0)}</b>
					</span>
				))}
				<span class="faint">{times[at] === undefined ? "" : timeWords(times[at])}</span>
			</figcaption>
		</figure>
	);
}

interface BarsProps {
	points: readonly { x: number; y: number }[];
	color: string;
	slot: number;
	floor: number;
}

function Bars({ points, color, slot, floor }: BarsProps) {
	const width = Math.max(1, Math.min(MOST_BAR_PX, slot * 0.7));
	return (
		<g style={{ color: `var(${color})` }}>
			{points.map(({ x, y }) => (
				<rect key={x} class="chart-bar" x={x - width / 2} y={y} width={width} height={Math.max(0, floor - y)} rx={2} />
			))}
		</g>
	);
}
