import type { Standing } from "../../deliver/run-view.ts";

type StateColor = "green" | "yellow" | "red" | "cyan" | "dim";

/** Options of reports that may use colours. */
export interface Painted {
	paint?: (color: StateColor, text: string) => string;
}

/** The colour of a run's state in a list; none while it waits. */
export function stateColor({ phase, status, cause, asks }: Standing): StateColor | undefined {
	if (cause === "stopped" || phase === "stopping") return "yellow";
	if (cause !== undefined) return status === "success" ? "green" : "red";
	if (asks !== undefined) return "yellow";
	return phase === "queued" ? undefined : "cyan";
}
