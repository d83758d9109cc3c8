/** What the part for pools costs a pi that uses none: with its files, without them, and with a pool configured. */
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { type Home, makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { text } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { runPi } from "../test/helpers/run-pi.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { cpuAtExit } from "./cpu.ts";
import { median, ms } from "./figures.ts";
import { progress, report } from "./report.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "21" }, json: { type: "boolean" } } });

/** As a user has it, and the same without any file of the pool. */
const [whole, stripped] = [stagePackage(), stagePackage()];
const removed = globSync("dist/**/*.{js,cjs}", { cwd: stripped.path }).filter((file) =>
	/pi_geon\.(lines|orders|progress|workers)|heartbeat_seconds IS NOT NULL/.test(
		readFileSync(join(stripped.path, file), "utf8"),
	),
);
for (const file of removed) rmSync(join(stripped.path, file));

const model = await startModel(() => text("Hello."));
const homes = {
	without: await makeHome({ model, extension: stripped.path }),
	with: await makeHome({ model, extension: whole.path }),
	configured: await makeHome({
		model,
		extension: whole.path,
		config: { pools: { team: { urlEnv: "TEAM_POOL" } } },
		// Nothing listens there: who connected would wait or fail.
		env: { TEAM_POOL: "postgres://nobody@127.0.0.1:1/none" },
	}),
};
type Name = keyof typeof homes;
type Start = Record<"time" | "cpu" | "memory", number>;
const names = Object.keys(homes) as Name[];
const rounds: Record<Name, Start>[] = [];

try {
	for (let round = -1; round < Number(values.rounds); round++) {
		progress(`start ${round + 2} of ${Number(values.rounds) + 1}`);
		const took: Partial<Record<Name, Start>> = {};
		const turn = (round + names.length) % names.length;
		for (const name of [...names.slice(turn), ...names.slice(0, turn)]) took[name] = await start(homes[name]);
		if (round >= 0) rounds.push(took as Record<Name, Start>); // The first round fills caches.
	}
} finally {
	for (const home of Object.values(homes)) await cleanup(home);
	await model.close();
	for (const staged of [whole, stripped]) staged.remove();
}

async function start(home: Home): Promise<Start> {
	const cpu = cpuAtExit(join(home.scratch, "cpu"));
	const memoryFile = join(home.scratch, "memory");
	const preload = join(repositoryRoot, "bench", "fixtures", "memory-at-exit.cjs");
	const env = { ...cpu.env, NODE_OPTIONS: `${cpu.env.NODE_OPTIONS} --require=${preload}`, MEMORY_FILE: memoryFile };
	const started = performance.now();
	await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", "Hi."], { env });
	return { time: performance.now() - started, cpu: cpu.read(), memory: Number(readFileSync(memoryFile, "utf8")) };
}

/** Compared within each round, since a shared machine is another one a minute later. */
const more = (name: Name, figure: keyof Start): number =>
	median(rounds.map((round) => round[name][figure] - round.without[figure]));
const kb = (value: number): string => `${value.toFixed(0)} KB`;
const usual = median(rounds.map(({ without }) => without.time));

report(`The pool's share of a start, median of ${values.rounds}`, [
	{ what: `limit: pi -p with the package less ${removed.length} files of the pool`, value: usual, shown: ms(usual) },
	...(["with", "configured"] as const).flatMap((name) => {
		const how = name === "with" ? "with its files, none configured" : "with a pool configured and no run of it";
		return [
			{ what: `more time ${how}`, value: more(name, "time"), shown: ms(more(name, "time")) },
			{ what: `more processor time ${how}`, value: more(name, "cpu"), shown: ms(more(name, "cpu")) },
			{ what: `more memory ${how}`, value: more(name, "memory"), shown: kb(more(name, "memory")) },
		];
	}),
]);
