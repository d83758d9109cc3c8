import { useRef } from "preact/hooks";
import { FilterBar } from "./filter-bar.tsx";
import { RunRows } from "./run-rows.tsx";
import { Tiles } from "./tiles.tsx";
import { Waterfall } from "./waterfall.tsx";

/** The current runs, a timeline with their waits, and the list of all runs. */
export function AllRuns() {
	const scroller = useRef<HTMLElement>(null);
	return (
		<main class="overview" ref={scroller}>
			<h1 class="sr-only">Runs</h1>
			<Tiles />
			<Waterfall />
			<section class="card list-card" aria-label="All runs">
				<FilterBar />
				<RunRows scroller={() => scroller.current} isNarrow={false} />
			</section>
		</main>
	);
}

/** The list beside an open run, where there is room for both. */
export function SideList() {
	const scroller = useRef<HTMLDivElement>(null);
	return (
		<nav class="side" aria-label="Runs">
			<FilterBar />
			<div class="side-rows" ref={scroller}>
				<RunRows scroller={() => scroller.current} isNarrow={true} />
			</div>
		</nav>
	);
}
