import { computed, signal } from "@preact/signals";
import { openRunId } from "../data/route.ts";
import { runList } from "../data/run-list.ts";

const chosen = signal<string | undefined>(undefined);

/** The run that keys act on: the open one, or the one selected in the list. */
export const selectedId = computed(() => openRunId.value ?? chosen.value);

export const selectedRow = computed(() => runList.value.rows.find(({ runId }) => runId === selectedId.value));

/** Grows when a key moves the selection, so that the list scrolls to it. */
export const moves = signal(0);

/** The run that is this many rows further down in the list. */
export function rowBeside(step: number): string | undefined {
	const { rows } = runList.value;
	const at = rows.findIndex(({ runId }) => runId === selectedId.value);
	if (at < 0) return rows[step > 0 ? 0 : rows.length - 1]?.runId;
	return rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.runId;
}

export function select(id: string | undefined): void {
	chosen.value = id;
	moves.value++;
}
