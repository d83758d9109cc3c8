import { taskIn } from "./child-model.ts";
import type { Entry, Evidence, RunRow } from "./evidence.ts";

/** Every hop is an attempt of its own and is told, and no model that a run has left is asked again, whatever dies. */
export function hopsKept({ runs, attempts, transcripts }: Evidence): string[] {
	return runs.flatMap((run) => {
		const { id, hops, outcome } = run;
		const ended = attempts.filter(({ runId, cause }) => runId === id && cause === "hopped").length;
		const untold = hops.filter(
			({ from, to }) => outcome && !outcome.warnings.some((warning) => warning.includes(from) && warning.includes(to)),
		);
		const models = modelsAsked(run, transcripts.find(({ file }) => file === run.sessionFile)?.entries ?? []);
		const inOrder = [...new Set(models)];
		const again = models.filter((model, index) => index > 0 && model !== models[index - 1]);
		return [
			...(ended === hops.length ? [] : [`run ${id} made ${hops.length} hops, and ${ended} attempts ended with one`]),
			...untold.map(({ from, to }) => `run ${id} did not tell that it went from ${from} to ${to}`),
			...(again.length < inOrder.length || models.length === 0
				? []
				: [`run ${id} asked in turn: ${models.join(", ")}`]),
		];
	});
}

/** By the child's session, in which one host writes at a time. */
function modelsAsked({ id }: RunRow, entries: readonly Entry[]): string[] {
	let isOurs = false;
	return entries.flatMap(({ customType, data, message }) => {
		if (customType === "pi-geon:task") isOurs = data?.runId === id;
		return isOurs && message?.role === "assistant" && message.model !== undefined ? [message.model] : [];
	});
}

/** A hop that cannot be recorded is not made: the run then ends with the failure of its model. */
export const isHopPrevented = ({ task }: RunRow, { ledgerWasInTrouble }: Evidence): boolean =>
	ledgerWasInTrouble === true && (taskIn(task)?.quota ?? 0) > 0;
