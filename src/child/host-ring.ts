import { ENFORCED, HOST_RING } from "../sandbox/outer-ring.ts";

/** What restricts this process, besides the rings of its runs. */
export interface HostRing {
	enforced: "kernel" | "policy";
	/** pi's search tools whose programs can run in the ring of their run. */
	searches: ReadonlySet<string>;
	/** Why it has no ring although it should. */
	why?: string;
}

/** Which tool of pi's starts which program. */
const SEARCHED_WITH: Readonly<Record<string, string>> = { grep: "rg", find: "fd" };

let known: HostRing | undefined;

/** The ring of this process, according to the process that started it. Hides the variable from the programs it starts. */
export function hostRing(): HostRing {
	if (!known) {
		known = readHostRing(process.env[HOST_RING]);
		delete process.env[HOST_RING];
	}
	return known;
}

function readHostRing(variable: string | undefined): HostRing {
	const [first, ...programs] = (variable ?? "").split(" ");
	if (first !== ENFORCED) return { enforced: "policy", searches: new Set(), ...(variable && { why: variable }) };
	// Bun's own way to start a program may not read the environment through our replacement.
	const passesEnv = process.versions.bun === undefined;
	const searches = Object.keys(SEARCHED_WITH).filter(
		(tool) => passesEnv && programs.includes(SEARCHED_WITH[tool] ?? ""),
	);
	return { enforced: "kernel", searches: new Set(searches) };
}
