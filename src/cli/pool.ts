import type { PoolSettings } from "../config/config.ts";
import { packageVersion } from "../config/package-version.ts";
import { poolReport } from "../operate/report/pool.ts";
import type { PoolDatabase } from "../pool/database.ts";
import type { lookAtPool as LookAtPool } from "../pool/look.ts";
import { type Call, type Command, countOption, type ExitCode } from "./command.ts";
import { agentDir, configOfUser, isInsideSubagent, ONLY_LOOKS } from "./surroundings.ts";

type Deed = (call: Call, database: PoolDatabase, pool: string) => Promise<ExitCode>;

const DEEDS: Readonly<Record<string, Deed>> = { drain, check, limit: limitRuns };
const VERBS = ["status", ...Object.keys(DEEDS)];

export const pool: Command = {
	name: "pool",
	takes: `<${VERBS.join("|")}> [<pool>] [--total <n>] [--per-requester <n>]`,
	does: "manage a pool: show its status, drain its workers, check that it works, or limit how many runs it takes at once",
	words: [1, 3],
	completes: VERBS,
	options: {
		total: { type: "string", takes: "<n>", does: "limit: at most this many runs at once" },
		"per-requester": { type: "string", takes: "<n>", does: "limit: at most this many runs at once from one requester" },
	},
	async run(call) {
		const { words, out } = call;
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const [verb = "", named] = words;
		if (!VERBS.includes(verb)) return out.misused(`There is no "pool ${verb}". Use one of: ${VERBS.join(", ")}.`);
		const { pools } = configOfUser().config;
		const name = named ?? (pools.length === 1 ? pools[0]?.name : undefined);
		if (name === undefined) {
			const which =
				pools.length === 0
					? "No pool is configured (pools in pi-geon.json)"
					: `Say which: ${pools.map((one) => one.name).join(", ")}`;
			return out.misused(`${which}.`);
		}
		const [{ poolNamed }, { openPool }] = await Promise.all([import("../pool/address.ts"), import("../pool/open.ts")]);
		const settings = poolNamed(name, pools);
		const where = { agentDir: agentDir(), env: process.env };
		if (verb === "status") return status(call, settings, where);
		const database = await openPool(settings, where);
		try {
			return (await DEEDS[verb]?.(call, database, name)) ?? 2;
		} catch (error) {
			const { whyUnreachable } = await import("../pool/unreachable.ts");
			const { problem, remedy } = whyUnreachable(error);
			return out.failed(`${problem}. ${remedy}`);
		} finally {
			await database.close();
		}
	},
};

async function status(
	{ out }: Call,
	settings: PoolSettings,
	where: Parameters<typeof LookAtPool>[1],
): Promise<ExitCode> {
	const { lookAtPool } = await import("../pool/look.ts");
	const look = await lookAtPool(settings, where);
	if (out.isJson) out.document("status" in look ? look.status : look);
	else if ("status" in look) out.lines(poolReport(look));
	else return out.failed(poolReport(look).join("\n"));
	return "status" in look ? 0 : 1;
}

async function drain({ words, out }: Call, database: PoolDatabase, name: string): Promise<ExitCode> {
	const { drainWorkers } = await import("../pool/status.ts");
	const workers = await drainWorkers(database, name, words[2]);
	if (workers === 0)
		return out.failed(
			words[2] === undefined ? `Pool ${name} has no workers.` : `Pool ${name} has no worker ${words[2]}.`,
		);
	if (out.isJson) out.document({ draining: workers });
	else
		out.lines([
			workers === 1
				? `1 worker of pool ${name} accepts no new runs, and exits when its runs have finished.`
				: `${workers} workers of pool ${name} accept no new runs, and exit when their runs have finished.`,
		]);
	return 0;
}

async function check({ out }: Call, database: PoolDatabase, name: string): Promise<ExitCode> {
	const { checkPool } = await import("../pool/check.ts");
	const signal = new AbortController().signal;
	const findings = [];
	const MARKS = { pass: "✓", warn: "!", fail: "✗" };
	for await (const finding of checkPool({ database, pool: name, version: packageVersion(), signal })) {
		findings.push(finding);
		if (out.isJson) continue;
		out.lines([
			`${MARKS[finding.level]} ${finding.what}`,
			...(finding.remedy === undefined ? [] : [`  ${finding.remedy}`]),
		]);
	}
	if (out.isJson) out.document(findings);
	return findings.every(({ level }) => level === "pass") ? 0 : 1;
}

async function limitRuns({ options, out }: Call, database: PoolDatabase, name: string): Promise<ExitCode> {
	const total = countOption(options.total, "total");
	if (typeof total === "object") return out.misused(total.error);
	const perRequester = countOption(options["per-requester"], "per-requester");
	if (typeof perRequester === "object") return out.misused(perRequester.error);
	const { limitLane } = await import("../pool/status.ts");
	const limits = { total: total ?? null, perRequester: perRequester ?? null };
	await limitLane(database, name, limits);
	if (out.isJson) out.document(limits);
	else {
		const most = (n: number | null) => (n === null ? "as many as there are places" : `at most ${n}`);
		out.lines([`Pool ${name} runs ${most(limits.total)} at once, and ${most(limits.perRequester)} for one requester.`]);
	}
	return 0;
}
