import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { plural } from "../../../run/amounts.ts";
import {
	isSilent,
	type PoolLook,
	type PoolStatus,
	type PoolWorker,
	poolLimits,
	poolStanding,
	workerState,
} from "../../../run/pool-status.ts";
import type { Pools } from "../../api/views.ts";
import { paused } from "../data/live.ts";
import { ask } from "../data/request.ts";
import { Foreign } from "../parts/foreign.tsx";
import { NotYet, useFetched } from "./fetched.tsx";

const LOOKS_EVERY_MS = 3000;

/** The pools of this machine's user: running and queued runs, and the workers with their places. */
export function PoolsView() {
	const round = useSignal(0);
	useEffect(() => {
		const timer = setInterval(() => {
			if (!paused.value && !document.hidden) round.value++;
		}, LOOKS_EVERY_MS);
		return () => clearInterval(timer);
	}, [round]);
	const { answer, problem } = useFetched<Pools>((signal) => ask("pools", { signal }), String(round.value));
	const pools = answer.value?.pools;
	return (
		<main class="page">
			<header class="page-head">
				<h1>Pools</h1>
			</header>
			{problem.value !== undefined && <p class="warning">{problem.value}</p>}
			{pools ? pools.map((look) => <Pool key={look.name} look={look} />) : <NotYet problem={problem.value} />}
			{pools?.length === 0 && <p class="empty">No pool is configured (pools in pi-geon.json).</p>}
		</main>
	);
}

function Pool({ look }: { look: PoolLook }) {
	return (
		<section class="card" aria-label={`Pool ${look.name}`}>
			<header class="card-head">
				<h2>Pool {look.name}</h2>
				{"status" in look && (
					<span class="faint">{[poolStanding(look.status), ...poolLimits(look.status)].join(" · ")}</span>
				)}
			</header>
			{"status" in look ? <Status name={look.name} status={look.status} /> : <Unreachable {...look} />}
		</section>
	);
}

const Unreachable = ({ problem, remedy }: { problem: string; remedy: string }) => (
	<div class="empty failure" role="alert">
		<p>
			The pool cannot be reached: <Foreign text={problem} />
		</p>
		<p>
			<Foreign text={remedy} />
		</p>
	</div>
);

function Status({ name, status: { workers, requesters } }: { name: string; status: PoolStatus }) {
	return (
		<>
			{workers.length === 0 ? (
				<p class="empty">
					No workers. Start one: <code>pi-geon worker --pool {name}</code>
				</p>
			) : (
				<table class="numbers">
					<thead>
						<tr>
							<th scope="col">{plural(workers.length, "worker")}</th>
							<th scope="col">places taken</th>
							<th scope="col">pi-geon</th>
							<th scope="col">pi</th>
							<th scope="col">state</th>
						</tr>
					</thead>
					<tbody>
						{workers.map((worker) => (
							<Worker key={worker.name} worker={worker} />
						))}
					</tbody>
				</table>
			)}
			{requesters.length > 0 && (
				<table class="numbers">
					<thead>
						<tr>
							<th scope="col">requester</th>
							<th scope="col">running</th>
							<th scope="col">waiting</th>
						</tr>
					</thead>
					<tbody>
						{requesters.map((one) => (
							<tr key={one.name}>
								<th scope="row">
									<Foreign text={one.name || "(unknown)"} />
								</th>
								<td>{one.running}</td>
								<td>{one.waiting}</td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</>
	);
}

function Worker({ worker }: { worker: PoolWorker }) {
	const { name, busy, places, version, pi } = worker;
	return (
		<tr>
			<th scope="row">
				<Foreign text={name} />
			</th>
			<td>
				{busy} of {places}
			</td>
			<td>
				<Foreign text={version} />
			</td>
			<td>
				<Foreign text={pi} />
			</td>
			<td class={isSilent(worker) ? "tone-failure" : "faint"}>{workerState(worker).join(" · ") || "ready"}</td>
		</tr>
	);
}
