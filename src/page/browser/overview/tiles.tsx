import { count, dollars } from "../../../run/amounts.ts";
import { filters, type StateFilter, setFilters } from "../data/filters.ts";
import { ledger, overview } from "../data/live.ts";

/** The numbers on top. A number that counts one kind of runs links to these runs. */
export function Tiles() {
	const numbers = overview.value;
	// If nothing was ever delegated, there is nothing to count.
	if (!numbers) return ledger.value.state === "absent" ? null : <div class="tiles" aria-busy="true" />;
	const { running, queued, asking, today } = numbers;
	return (
		<section class="tiles" aria-label="Numbers">
			<Tile name="Running" value={String(running)} tone={running > 0 ? "running" : ""} shows="running">
				{asking > 0 && <span class="tone-asking">{asking} asking you</span>}
			</Tile>
			<Tile name="Queued" value={String(queued)} shows="queued" />
			<Tile name="Failed today" value={String(today.failed)} tone={today.failed > 0 ? "failure" : ""} shows="failed">
				of {today.ended} finished
			</Tile>
			<Tile name="Cost today" value={today.cost > 0 ? dollars(today.cost) : "$0"}>
				{count(today.tokens)} tokens
			</Tile>
		</section>
	);
}

interface TileProps {
	name: string;
	value: string;
	tone?: string;
	shows?: StateFilter;
	children?: preact.ComponentChildren;
}

function Tile({ name, value, tone = "", shows, children }: TileProps) {
	const inside = (
		<>
			<span class="tile-name">{name}</span>
			<span class={`tile-value ${tone === "" ? "" : `tone-${tone}`}`}>{value}</span>
			<span class="tile-note">{children}</span>
		</>
	);
	if (!shows) return <div class="tile">{inside}</div>;
	const isOn = filters.value.state === shows;
	return (
		<button
			type="button"
			class="tile"
			aria-pressed={isOn}
			onClick={() => setFilters({ state: isOn ? undefined : shows })}
		>
			{inside}
		</button>
	);
}
