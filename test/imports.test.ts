import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./helpers/repository.ts";

/**
 * The import rule: which folders of `src/` each folder may use, besides itself. Imports point one way, so that a stage of a
 * run can be read, tested and replaced without the stages after it. Everybody but `run/` may write to the log.
 */
const MAY_USE: Record<string, string> = {
	run: "",
	log: "",
	files: "",
	net: "",
	ports: "run",
	config: "run log ports",
	agents: "run log files",
	sandbox: "run log files net",
	plan: "run log files config agents",
	ledger: "run log ports plan",
	collect: "run log config",
	trees: "run log files ledger",
	processes: "run log ports config ledger collect",
	traces: "run log ledger collect",
	child: "run log files ports config plan ledger collect processes sandbox trees",
	pool: "run log files ports config plan ledger collect trees processes child supervise",
	host: "run log ports config plan ledger collect processes child pool traces",
	supervise: "run log files ports sandbox plan ledger collect processes",
	deliver: "run log ports ledger collect processes supervise",
	operate: "run log files ports plan ledger collect sandbox trees processes supervise deliver traces delegate.ts",
	"operate/doctor":
		"run log ports config agents sandbox plan ledger collect processes child supervise deliver operate delegate.ts lsp web pool",
	lsp: "run log files config sandbox",
	web: "run log config net",
	page: "run log files ports ledger collect processes supervise deliver operate operate/doctor",
	"delegate.ts": "run log ports config agents plan ledger collect processes supervise deliver operate",
	"index.ts": "run log ports config agents plan ledger collect processes supervise deliver operate delegate.ts",
	// Runs in a browser: nothing that needs Node.
	"page/browser": "run page",
	cli: "run log files ports config agents plan ledger collect processes supervise pool deliver operate operate/doctor page traces delegate.ts index.ts",
	pi: "run log files ports config agents sandbox plan ledger collect trees processes child supervise pool deliver operate operate/doctor page traces delegate.ts index.ts",
};

interface Import {
	from: string;
	to: string;
	/** An import of types alone is gone when the program runs. */
	typesOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(?<types>type\s)?[^"';]*?from\s+"(?<path>\.[^"]+)"/gm;
const BARE_OR_DYNAMIC = /(?:^import\s+|\bimport\(\s*)"(?<path>\.[^"]+)"/gm;

const SRC = join(repositoryRoot, "src");
const textOf = (file: string): string => readFileSync(join(SRC, file), "utf8");
const FILES = globSync("**/*.{ts,tsx}", { cwd: SRC }).map((file) => file.split(sep).join("/"));
const IMPORTS = FILES.flatMap(importsOf);

/** By their path from `src/`, like all files here. */
const UNIT_TESTS = globSync("../test/**/*.test.ts", { cwd: SRC, exclude: ["../test/e2e/**"] });

function importsOf(file: string): Import[] {
	const text = textOf(file);
	const toImport = ({ groups = {} }: RegExpMatchArray): Import => ({
		from: file,
		to: relative(SRC, join(SRC, dirname(file), groups.path ?? ""))
			.split(sep)
			.join("/"),
		typesOnly: groups.types !== undefined,
	});
	return [...text.matchAll(STATEMENT), ...text.matchAll(BARE_OR_DYNAMIC)].map(toImport);
}

function folderOf(file: string): string {
	const own = ["operate/doctor", "page/browser"].find((folder) => file.startsWith(`${folder}/`));
	return own ?? file.split("/")[0] ?? "";
}

describe("imports inside src/", () => {
	test("are found at all, of every folder that has a rule", () => {
		expect(IMPORTS.length).toBeGreaterThan(1000);
		expect([...new Set(FILES.map(folderOf))].sort()).toEqual(Object.keys(MAY_USE).sort());
	});

	test("point one way", () => {
		const wrong = IMPORTS.filter(({ from, to }) => {
			const [user, used] = [folderOf(from), folderOf(to)];
			return user !== used && !MAY_USE[user]?.split(" ").includes(used);
		});
		expect(wrong.map(({ from, to }) => `src/${from} must not import src/${to}`)).toEqual([]);
	});

	test("make no circle when the program runs", () => {
		const uses = Map.groupBy(
			IMPORTS.filter(({ typesOnly }) => !typesOnly),
			({ from }) => from,
		);
		const done = new Set<string>();
		const circles: string[] = [];
		const visit = (file: string, path: string[]): void => {
			if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
			if (done.has(file) || path.includes(file)) return;
			for (const { to } of uses.get(file) ?? []) visit(to, [...path, file]);
			done.add(file);
		};
		for (const file of FILES) visit(file, []);
		expect(circles).toEqual([]);
	});
});

/** Their files decide what becomes of a run, and are small enough to be tested one by one. */
const LOOPS = ["deliver", "host", "ports", "supervise"];

/** Wiring, which needs a real pi: the end-to-end tests run it. */
const NEEDS_PI = ["host/extension.ts"];

/** Whether anything is left of a file when its types are gone. Its statements are the lines that start with a letter. */
const hasRuntimeCode = (file: string): boolean =>
	/^(?!import type |(?:export )?(?:type|interface|declare) )[a-z]/im.test(textOf(file));

test("every file of the loops is imported by a unit test", () => {
	const imported = UNIT_TESTS.flatMap(importsOf).filter(({ typesOnly }) => !typesOnly);
	const tested = new Set(imported.map(({ to }) => to));
	const loops = FILES.filter((file) => LOOPS.includes(folderOf(file)) && hasRuntimeCode(file));
	expect(loops.length).toBeGreaterThan(50);
	expect(loops.filter((file) => !tested.has(file))).toEqual(NEEDS_PI);
});
