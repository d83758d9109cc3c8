import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { count, plural } from "../../../run/amounts.ts";
import type { CostRow, Costs } from "../../api/views.ts";
import { ask } from "../data/request.ts";
import { Chart } from "../parts/chart.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { asMoney } from "../parts/words.ts";
import { NotYet, useFetched } from "./fetched.tsx";

const SPANS = [7, 30, 90] as const;
const DAYS_CHART_PX = 220;

const allTokens = ({ input, output, cacheRead, cacheWrite }: CostRow): number =>
	input + output + cacheRead + cacheWrite;
/** Noon of a day, so that the bar is above its day in every time zone. */
const noonOf = (day: string): number => new Date(`${day}T12:00:00`).getTime();
const dayWords = (time: number): string => new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });
const shortDay = (time: number): string =>
	new Date(time).toLocaleDateString(undefined, { month: "short", day: "numeric" });

/** Where the money went. */
export function CostsView() {
	const days = useSignal<number>(30);
	const { answer, problem } = useFetched(
		(signal) => ask<Costs>("costs", { signal, query: { days: days.value } }),
		String(days.value),
	);
	const costs = answer.value;
	return (
		<main class="page">
			<header class="page-head">
				<h1>Costs</h1>
				<fieldset class="segments">
					<legend class="sr-only">Timespan</legend>
					{SPANS.map((span) => (
						<button
							type="button"
							aria-pressed={days.value === span}
							onClick={() => {
								days.value = span;
							}}
						>
							{span} days
						</button>
					))}
				</fieldset>
			</header>
			{problem.value !== undefined && <p class="warning">{problem.value}</p>}
			{costs ? <Tables costs={costs} /> : <NotYet problem={problem.value} />}
		</main>
	);
}

function Tables({ costs }: { costs: Costs }) {
	const { total, days, agents, models, folders } = costs;
	return (
		<>
			<section class="tiles" aria-label="Totals">
				<Total name="Cost" value={asMoney(total.cost)} />
				<Total name="Runs" value={total.runs.toLocaleString()} note={`${total.failed} failed`} />
				<Total name="Tokens" value={count(allTokens(total))} note={`${count(total.cacheRead)} read from cache`} />
				<Total
					name="Per run"
					value={asMoney(total.runs === 0 ? 0 : total.cost / total.runs)}
					note={plural(total.turns, "turn")}
				/>
			</section>
			<DayChart days={days} />
			<div class="cards wide-cards">
				<CostTable title="By agent" rows={agents} />
				<CostTable title="By model" rows={models} />
				<CostTable title="By folder" rows={folders} />
				<CostTable title="By day" rows={days.filter(({ runs }) => runs > 0).toReversed()} />
			</div>
		</>
	);
}

const Total = ({ name, value, note = "" }: { name: string; value: string; note?: string }) => (
	<div class="tile">
		<span class="tile-name">{name}</span>
		<span class="tile-value">{value}</span>
		<span class="tile-note">{note}</span>
	</div>
);

/** Shows tokens if nothing has a price: an empty chart says nothing. */
function DayChart({ days }: { days: readonly CostRow[] }) {
	const times = useMemo(() => days.map(({ key }) => noonOf(key)), [days]);
	const hasCost = days.some(({ cost }) => cost > 0);
	const series = useMemo(
		() => [
			hasCost
				? { label: "Cost", color: "--chart-3" as const, values: days.map(({ cost }) => cost), format: asMoney }
				: { label: "Tokens", color: "--chart-1" as const, values: days.map(allTokens), format: count },
		],
		[days, hasCost],
	);
	const title = hasCost ? "Cost by day" : "Tokens by day";
	return (
		<section class="card chart-card">
			<header class="card-head">
				<h2>{title}</h2>
			</header>
			<Chart
				times={times}
				series={series}
				kind="bars"
				height={DAYS_CHART_PX}
				label={`${title}; the table below has the numbers`}
				axisWords={shortDay}
				timeWords={dayWords}
			/>
		</section>
	);
}

function CostTable({ title, rows }: { title: string; rows: readonly CostRow[] }) {
	const most = Math.max(...rows.map(weightOf), 0);
	return (
		<section class="card">
			<header class="card-head">
				<h2>{title}</h2>
			</header>
			{rows.length === 0 ? (
				<p class="empty">No runs in this timespan.</p>
			) : (
				<table class="numbers">
					<thead>
						<tr>
							<th scope="col">{title.replace("By ", "")}</th>
							<th scope="col">runs</th>
							<th scope="col">failed</th>
							<th scope="col">tokens</th>
							<th scope="col">cost</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<tr key={row.key}>
								<th scope="row" title={row.key}>
									<Foreign text={row.key} />
									<span class="share" aria-hidden="true" style={{ width: `${shareOf(row, most)}%` }} />
								</th>
								<td>{row.runs.toLocaleString()}</td>
								<td class={row.failed > 0 ? "tone-failure" : "faint"}>{row.failed}</td>
								<td>{count(allTokens(row))}</td>
								<td>{asMoney(row.cost)}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</section>
	);
}

/** By cost; by tokens only if nothing has a price. */
const weightOf = (row: CostRow): number => (row.cost > 0 ? row.cost : allTokens(row) / 1e12);
const shareOf = (row: CostRow, most: number): number => (most === 0 ? 0 : Math.max(1, (weightOf(row) / most) * 100));
