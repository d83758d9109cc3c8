import type { Evidence } from "./evidence.ts";

/** Numbered from 1 without a gap, only the last one open, and none of a run that has finished. */
export function attemptsRecorded({ runs, attempts }: Evidence): string[] {
	return runs.flatMap((run) => {
		const ours = attempts.filter(({ runId }) => runId === run.id);
		const numbers = ours.map(({ number }) => number).join(", ");
		const expected = Array.from({ length: run.attempt }, (_, index) => index + 1).join(", ");
		const open = ours.filter(({ endedAt, cause }) => endedAt === null || cause === null);
		const mayBeOpen = run.state === "running" ? run.attempt : undefined;
		return [
			...(numbers === expected ? [] : [`run ${run.id} had ${run.attempt} attempts, recorded are: ${numbers}`]),
			...open
				.filter(({ number }) => number !== mayBeOpen)
				.map(({ number }) => `attempt ${number} of run ${run.id}, which is ${run.state}, was never closed`),
		];
	});
}
