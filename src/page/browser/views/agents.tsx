import { useSignal } from "@preact/signals";
import type { AgentRow, AgentsHere } from "../../api/views.ts";
import { hello, overview } from "../data/live.ts";
import { ask } from "../data/request.ts";
import { Foreign } from "../parts/foreign.tsx";
import { NotYet, useFetched } from "./fetched.tsx";

/** What each agent gets in a folder, and why. */
export function AgentsView() {
	const folder = useSignal("");
	const { answer, problem } = useFetched(
		(signal) => ask<AgentsHere>("agents", { signal, query: { cwd: folder.value } }),
		folder.value,
	);
	const here = answer.value;
	const folders = (overview.value?.folders ?? []).filter((each) => each !== hello.value?.cwd);
	return (
		<main class="page">
			<header class="page-head">
				<h1>Agents</h1>
				<select
					aria-label="Folder"
					value={folder.value}
					onChange={({ currentTarget }) => {
						folder.value = currentTarget.value;
					}}
				>
					<option value="">{hello.value?.cwd ?? "This folder"}</option>
					{folders.map((each) => (
						<option value={each}>{each}</option>
					))}
				</select>
			</header>
			{problem.value !== undefined && <p class="warning">{problem.value}</p>}
			{here ? <Here here={here} /> : <NotYet problem={problem.value} />}
		</main>
	);
}

function Here({ here: { isTrusted, untrusted, agents, problems } }: { here: AgentsHere }) {
	return (
		<>
			{!isTrusted && untrusted > 0 && (
				<p class="warning">
					This project is not trusted: {untrusted} of its agents {untrusted === 1 ? "is" : "are"} not shown.
				</p>
			)}
			{problems.map(({ severity, text }) => (
				<p class={severity === "error" ? "warning failure" : "warning"}>
					<Foreign text={text} />
				</p>
			))}
			<div class="cards">
				{agents.map((agent) => (
					<AgentCard key={`${agent.source}/${agent.name}`} agent={agent} />
				))}
			</div>
		</>
	);
}

function AgentCard({ agent }: { agent: AgentRow }) {
	const { name, source, readonly, description, off, tools, model, warnings, facts } = agent;
	return (
		<article class={`card agent ${off === undefined ? "" : "off"}`}>
			<header class="card-head">
				<h2>
					<Foreign text={name} />
				</h2>
				<span class="badge">{source}</span>
				{readonly && <span class="badge">readonly</span>}
				{off !== undefined && <span class="badge tone-failure">off</span>}
			</header>
			<p class="agent-about">
				<Foreign text={description} />
			</p>
			{off !== undefined && (
				<p class="warning">
					<Foreign text={off} />
				</p>
			)}
			<dl class="facts">
				<dt>gets here</dt>
				<dd class="chips">
					{tools.length === 0 ? (
						<span class="tone-failure">no tools, so it cannot run</span>
					) : (
						tools.map((tool) => (
							<code class="chip-code">
								<Foreign text={tool} />
							</code>
						))
					)}
				</dd>
				<dt>model</dt>
				<dd>
					<Foreign text={model} />
				</dd>
			</dl>
			{warnings.map((warning) => (
				<p class="warning">
					<Foreign text={warning} />
				</p>
			))}
			<details>
				<summary>All facts</summary>
				<dl class="facts">
					{facts.flatMap(({ name: fact, value }, index) => [
						<dt key={`${index}-name`}>{fact}</dt>,
						<dd key={`${index}-value`}>
							<Foreign text={value} />
						</dd>,
					])}
				</dl>
			</details>
		</article>
	);
}
