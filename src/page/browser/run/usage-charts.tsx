import { useMemo } from "preact/hooks";
import { count } from "../../../run/amounts.ts";
import { inputTokens } from "../../../run/usage.ts";
import { turns } from "../data/open-run.ts";
import { Chart } from "../parts/chart.tsx";
import { asMoney, timeOfDay } from "../parts/words.ts";

const TURNS_CHART_PX = 150;

/** Cost and tokens of the run's session over time. */
export function UsageCharts() {
	const all = turns.value;
	const data = useMemo(() => growth(all ?? []), [all]);
	if (!all || all.length < 2) return <p class="faint">Drawn from the second turn on.</p>;
	const { times, cost, input, output, hasCost } = data;
	return (
		<>
			<Chart
				times={times}
				kind="steps"
				height={TURNS_CHART_PX}
				label={`Tokens over ${all.length} turns`}
				axisWords={timeOfDay}
				timeWords={timeOfDay}
				series={[
					{ label: "In", color: "--chart-1", values: input, format: count },
					{ label: "Out", color: "--chart-2", values: output, format: count },
				]}
			/>
			{hasCost && (
				<Chart
					times={times}
					kind="steps"
					height={TURNS_CHART_PX}
					label={`Cost over ${all.length} turns`}
					axisWords={timeOfDay}
					timeWords={timeOfDay}
					series={[{ label: "Cost", color: "--chart-3", values: cost, format: asMoney }]}
				/>
			)}
		</>
	);
}

function growth(all: NonNullable<typeof turns.value>) {
	let [spent, read, written] = [0, 0, 0];
	const points = all.map((turn) => {
		spent += turn.cost;
		read += inputTokens(turn);
		written += turn.output;
		return { at: turn.at, spent, read, written };
	});
	return {
		times: points.map(({ at }) => at),
		cost: points.map((point) => point.spent),
		input: points.map((point) => point.read),
		output: points.map((point) => point.written),
		hasCost: spent > 0,
	};
}
