import { join } from "node:path";
import { factsTo, wrapTo } from "../../operate/report/layout.ts";
import { packageRoot } from "../package-root.ts";

const COMMANDS = [
	{ name: "/subagents", value: "look at the runs of this session: on a screen of their own, or as a list" },
	{ name: "/subagents list [all|number]", value: "the runs of this session, open ones first" },
	{ name: "/subagents info <id|#>", value: "all there is to know of a run" },
	{ name: "/subagents log <id|#> [limit] [tools]", value: "what was said in its session" },
	{ name: "/subagents send <id|#> <message>", value: "steer a run at work, or go on with one that has ended" },
	{ name: "/subagents stop <id|#|all>", value: "stop a run, or all that are open" },
	{ name: "/stop", value: "stop the turn and every run of this session" },
	{ name: "/toolkit agents", value: "the agents, and what is wrong with their files" },
	{ name: "/toolkit doctor [--fix]", value: "try everything that can be wrong, and say what to do" },
	{ name: "/toolkit logs [run|agent|level] [limit]", value: "what parents and hosts wrote down" },
	{ name: "/toolkit activity", value: "what each open run is doing now" },
];

const KEYS = [
	{ name: "Esc", value: "stops the turn and the runs it waits for. Background runs go on: /stop ends those too." },
	{ name: "Ctrl+O", value: "shows the whole of calls and reports (pi's own key for it)" },
];

const SETTINGS = [
	{ name: "subagents.enabled", value: "whether anything can be delegated" },
	{ name: "subagents.timeoutMs, idleTimeoutMs", value: "how long a run may take, and be silent" },
	{ name: "subagents.allowWrite", value: "whether agents of your own may change files" },
	{ name: "agents.defaults.subagents.maxConcurrent", value: "how many runs work at once" },
];

const RUNS =
	"<id|#> is a run's id or the beginning of one, its number, its label (in quotes, if it has spaces), or `last`.";

/** Everything there is to type, in one place. */
export function helpReport(width: number): string[] {
	const docs = join(packageRoot(), "docs");
	return [
		"pi-geon: subagents that always come home",
		"",
		...factsTo(width, COMMANDS),
		"",
		...wrapTo(width, RUNS),
		"",
		"Keys",
		...factsTo(width, KEYS),
		"",
		"Settings, in pi-geon.json of pi's agent directory (more in configuration.md)",
		...factsTo(width, SETTINGS),
		"",
		...wrapTo(width, `Documents: ${docs}`),
	].flatMap((line) => wrapTo(width, line));
}
