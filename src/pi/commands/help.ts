import { join } from "node:path";
import { packageRoot } from "../../config/package-root.ts";
import { type Fact, factsTo, wrapTo } from "../../operate/report/layout.ts";
import { shellWord } from "../../sandbox/quote.ts";
import { BACKGROUND_KEY } from "../background-key.ts";
import { INSPECTOR_KEY } from "../inspector-key.ts";
import { type Subcommand, usage } from "./command.ts";

const KEYS = [
	{
		name: "Esc",
		value:
			"stops the turn and the runs it waits for; /stop also stops background runs. In an empty prompt of an idle pi, Esc stops what you started with /subagents run",
	},
	{ name: "Ctrl+O", value: "expands calls and reports (pi's own key)" },
	{ name: keyName(INSPECTOR_KEY), value: "opens the inspector, a full-screen view of this session's runs" },
	{ name: keyName(BACKGROUND_KEY), value: "moves the runs that block the turn to the background" },
];

const SHOWN_SETTINGS = [
	{ name: "subagents.enabled", value: "whether subagents can be used at all; false turns them off" },
	{ name: "subagents.timeoutMs, idleTimeoutMs", value: "how long a run may take, and how long it may be silent" },
	{ name: "subagents.allowWrite", value: "whether your own agents may change files in your checkout" },
	{ name: "agents.defaults.subagents.maxConcurrent", value: "how many runs may run at once" },
];

const BOTH = "The subcommands agents, doctor, logs and help also work with /toolkit.";

const RUNS =
	"<id|#> is a run's id (or a unique prefix of it), its number, its label (in quotes if it has spaces), or `last`.";

/** The existing subcommands, each once, by the command they belong to. */
export interface HelpOn {
	subagents: readonly Subcommand[];
	toolkit: readonly Subcommand[];
}

/** Everything that a user can type, in one place. */
export function helpReport(width: number, { subagents, toolkit }: HelpOn): string[] {
	const of = (command: string, subcommands: readonly Subcommand[]): Fact[] =>
		subcommands.map((one) => ({ name: usage(command, one), value: one.does }));
	const commands = [
		{ name: "/subagents", value: "view the runs of this session: the inspector in a terminal, a list elsewhere" },
		...of("subagents", subagents),
		{ name: "/stop", value: "stop the turn and every run of this session" },
		...of("toolkit", toolkit),
	];
	return [
		"pi-geon: subagents that always come home",
		"",
		...factsTo(width, commands),
		"",
		...wrapTo(width, `${RUNS} ${BOTH}`),
		"",
		"Keys",
		...factsTo(width, KEYS),
		"",
		...wrapTo(width, "Main settings, in pi-geon.json in pi's agent directory (/subagents settings shows all)"),
		...factsTo(width, SHOWN_SETTINGS.map(nameThatFits(width))),
		"",
		...wrapTo(
			width,
			"To use pi-geon from a shell, even while pi is closed, add this line to your shell's startup file:",
		),
		`  ${shellLine(join(packageRoot(), "dist", "cli.js"))}`,
		"",
		...wrapTo(width, `Documentation: ${join(packageRoot(), "docs")}`),
	];
}

/** Breaks a name that is wider than the screen after a dot. pi would break it inside a word. */
const nameThatFits =
	(width: number) =>
	({ name, value }: Fact): Fact => ({
		name: name.length > width ? name.replace(/\.(?=[^.]*$)/, ".\n  ") : name,
		value,
	});

/** The line that makes `pi-geon` available in a shell, because pi installs packages outside the PATH. */
function shellLine(file: string): string {
	if (process.platform === "win32") return `function pi-geon { node '${file.replaceAll("'", "''")}' @args }`;
	return `alias pi-geon=${shellWord(`node ${shellWord(file)}`)}`;
}

/** Alt+S for pi's own key name alt+s. */
function keyName(key: string): string {
	return key.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
