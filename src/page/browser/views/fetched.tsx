import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

interface Fetched<Answer> {
	answer: Signal<Answer | undefined>;
	problem: Signal<string | undefined>;
}

/**
 * Fetches when the view opens, and again when its parameters change. The previous answer stays until the next one arrives.
 */
export function useFetched<Answer>(fetchIt: (signal: AbortSignal) => Promise<Answer>, asked: string): Fetched<Answer> {
	const answer = useSignal<Answer | undefined>(undefined);
	const problem = useSignal<string | undefined>(undefined);
	useEffect(() => {
		const asking = new AbortController();
		fetchIt(asking.signal).then(
			(given) => {
				answer.value = given;
				problem.value = undefined;
			},
			(error: Error) => {
				if (!asking.signal.aborted) problem.value = error.message;
			},
		);
		return () => asking.abort();
	}, [asked]);
	return { answer, problem };
}

export function NotYet({ problem }: { problem: string | undefined }) {
	return <p class={`empty ${problem === undefined ? "" : "failure"}`}>{problem ?? "Loading…"}</p>;
}
