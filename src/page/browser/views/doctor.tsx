import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DoctorEvents } from "../../api/views.ts";
import { answerTo } from "../data/request.ts";
import { readEvents } from "../data/sse.ts";
import { Foreign, ForeignBlock } from "../parts/foreign.tsx";

type Result = DoctorEvents["result"];

const LEVELS = {
	fail: { mark: "✗", tone: "failure" },
	warn: { mark: "!", tone: "asking" },
	pass: { mark: "✓", tone: "success" },
} as const;

/** What works here and what does not, according to real tests. */
export function DoctorView() {
	const round = useSignal(0);
	const checking = useSignal<string | undefined>("the first check");
	const results = useSignal<readonly Result[]>([]);
	const problem = useSignal<string | undefined>(undefined);
	useEffect(() => {
		const asking = new AbortController();
		results.value = [];
		problem.value = undefined;
		checking.value = "the first check";
		const take = (name: string, data: unknown) => {
			if (name === "checking") checking.value = (data as DoctorEvents["checking"]).name;
			if (name === "result") results.value = [...results.value, data as Result];
		};
		answerTo("doctor", { signal: asking.signal })
			.then((answer) => readEvents(answer, take))
			.catch((error: Error) => {
				if (!asking.signal.aborted) problem.value = error.message;
			})
			.finally(() => {
				if (!asking.signal.aborted) checking.value = undefined;
			});
		return () => asking.abort();
	}, [round.value, results, problem, checking]);
	const failed = results.value.filter(({ level }) => level === "fail").length;
	const warned = results.value.filter(({ level }) => level === "warn").length;
	const words = `${results.value.length} checks · ${failed} failed · ${warned} with a warning`;
	return (
		<main class="page">
			<header class="page-head">
				<h1>Doctor</h1>
				<button
					type="button"
					disabled={checking.value !== undefined}
					onClick={() => {
						round.value++;
					}}
				>
					Run again
				</button>
				<span class="faint" role="status">
					{checking.value === undefined ? words : `Checking ${checking.value}…`}
				</span>
			</header>
			{problem.value !== undefined && <p class="warning failure">{problem.value}</p>}
			<ul class="card checks" aria-label="Checks">
				{results.value.map((result, index) => (
					<Check key={index} result={result} />
				))}
			</ul>
		</main>
	);
}

function Check({ result: { check, level, what, detail, remedy } }: { result: Result }) {
	const { mark, tone } = LEVELS[level];
	return (
		<li class={`check ${level}`}>
			<span class={`mark tone-${tone}`}>
				<span aria-hidden="true">{mark}</span>
				<span class="sr-only">{level}</span>
			</span>
			<span class="check-name">{check}</span>
			<div>
				<p>
					<Foreign text={what} />
				</p>
				{detail !== undefined && <ForeignBlock text={detail} class="faint" />}
				{remedy !== undefined && (
					<p class="remedy">
						<Foreign text={remedy} />
					</p>
				)}
			</div>
		</li>
	);
}
