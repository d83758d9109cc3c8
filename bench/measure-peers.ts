import { join } from "node:path";
import { type Home, makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { delay, text } from "../test/helpers/model-steps.ts";
import { runPi } from "../test/helpers/run-pi.ts";
import { median } from "./figures.ts";
import type { Machine } from "./machine.ts";
import { openOneShot } from "./one-shot-trip.ts";
import { type Parent, requireAnswers, startParent } from "./parent.ts";
import { watchMemory } from "./process-tree.ts";
import { progress } from "./report.ts";
import { bareSubject, callOf, callsOf, type Subject } from "./subject.ts";

/** What is measured of each. All but the last three are milliseconds. */
export const FIGURES = [
	"later",
	"first",
	"oneShot",
	"oneShotSlow",
	"startUp",
	"fanOut",
	"fanOutMemory",
	"prompt",
] as const;
export type Figure = (typeof FIGURES)[number];

export interface PeerFigures {
	name: string;
	version: string;
	/** Why there are no figures at all. */
	failure?: string;
	/** The middle of what was measured, or why it failed. */
	figures: Partial<Record<Figure, number | string>>;
}

export interface PeersResult {
	machine: Machine;
	packages: PeerFigures[];
}

const FAN_OUT = 32;
const FAN_OUT_MODEL_MS = 2000;
const FAN_OUT_TIMES = 3;

/** Each figure of all of them in turns, so that what else the machine does meets all alike. */
export async function measurePeers(
	subjects: readonly Subject[],
	{ rounds, starts }: { rounds: number; starts: number },
): Promise<PeerFigures[]> {
	const limit = bareSubject();
	const all = [...subjects, limit];
	const taken = new Map(all.map((subject) => [subject, new Map<Figure, number[] | string>()]));
	const take = async (subject: Subject, figure: Figure, measure: () => Promise<number>) => {
		const before = taken.get(subject)?.get(figure) ?? [];
		if (typeof before === "string") return;
		try {
			taken.get(subject)?.set(figure, [...before, await measure()]);
		} catch (error) {
			const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
			progress(`${subject.name}: ${figure} failed: ${why}`);
			taken.get(subject)?.set(figure, `failed: ${why}`);
		}
	};

	for (let start = 0; start <= starts; start++) {
		progress(`first delegation, pi ${start + 1} of ${starts + 1}`);
		for (const subject of all) await take(subject, "first", () => firstTrip(subject));
	}
	await laterTrips(all, rounds, take);
	for (let round = 0; round <= starts; round++) {
		progress(`one-shot, round ${round + 1} of ${starts + 1}`);
		for (const subject of all) {
			const oneShot = openOneShots.get(subject) ?? (await openOneShot(subject));
			openOneShots.set(subject, oneShot);
			await take(subject, "oneShot", () => oneShot.trip("at once"));
			await take(subject, "oneShotSlow", () => oneShot.trip("in a second"));
		}
	}
	for (const oneShot of openOneShots.values()) await oneShot.close();
	openOneShots.clear();
	for (let time = 0; time < FAN_OUT_TIMES; time++) {
		progress(`${FAN_OUT} at once, ${time + 1} of ${FAN_OUT_TIMES}`);
		for (const subject of all) {
			const before = taken.get(subject)?.get("fanOut");
			// Once is enough of one that takes a minute.
			if (Array.isArray(before) && before.some((ratio) => ratio > 5)) continue;
			let memory: number | undefined;
			await take(subject, "fanOut", async () => {
				const fan = await fanOut(subject);
				memory = fan.memory;
				return fan.ratio;
			});
			if (memory !== undefined) await take(subject, "fanOutMemory", async () => memory ?? 0);
		}
	}
	await startUps(all, 2 * starts + 1, take);
	return all.map((subject) => ({
		name: subject === limit ? `limit: ${subject.name}` : subject.name,
		version: subject.version ?? "",
		figures: Object.fromEntries(
			[...(taken.get(subject) ?? [])].map(([figure, values]) => [figure, middle(figure, values)]),
		),
	}));
}

type Take = (subject: Subject, figure: Figure, measure: () => Promise<number>) => Promise<void>;

const openOneShots = new Map<Subject, Awaited<ReturnType<typeof openOneShot>>>();

/** The first of each kind does not count: it transpiles and compiles what the next ones find ready. */
const WARMS_UP: ReadonlySet<Figure> = new Set(["first", "oneShot", "oneShotSlow"]);

function middle(figure: Figure, values: number[] | string): number | string {
	if (typeof values === "string") return values;
	return median(WARMS_UP.has(figure) && values.length > 1 ? values.slice(1) : values);
}

async function firstTrip(subject: Subject): Promise<number> {
	const parent = await startParent({ ...subject, calls: callOf(subject) });
	return answered(parent, 1).finally(() => parent.close());
}

async function answered(parent: Parent, count: number): Promise<number> {
	const took = await parent.roundTrip();
	requireAnswers(parent.lastResults(), count);
	return took;
}

async function laterTrips(subjects: readonly Subject[], rounds: number, take: Take): Promise<void> {
	const parents = new Map<Subject, Parent>();
	try {
		for (const subject of subjects) parents.set(subject, await startParent({ ...subject, calls: callOf(subject) }));
		for (const parent of parents.values()) await parent.roundTrip().catch(() => 0); // Told when it is measured.
		for (let round = 0; round < rounds; round++) {
			progress(`later delegation, round ${round + 1} of ${rounds}`);
			for (const [subject, parent] of parents) await take(subject, "later", () => answered(parent, 1));
		}
	} finally {
		for (const parent of parents.values()) await parent.close();
	}
}

/** Many in one message. The time over that of the model, and the most memory of all processes together. */
async function fanOut(subject: Subject): Promise<{ ratio: number; memory: number }> {
	const parent = await startParent({
		...subject,
		calls: callsOf(subject, FAN_OUT),
		child: (request) => [delay(FAN_OUT_MODEL_MS), subject.child(request)] as never,
	});
	const memory = watchMemory(parent.home);
	try {
		const ratio = (await answered(parent, FAN_OUT)) / FAN_OUT_MODEL_MS;
		return { ratio, memory: memory.stop() };
	} finally {
		memory.stop();
		await parent.close();
	}
}

/** What a start of pi takes longer, and how many characters more the model reads. */
async function startUps(subjects: readonly Subject[], rounds: number, take: Take): Promise<void> {
	const model = await startModel(() => text("Hello."));
	const bare = await makeHome({ model, extension: false });
	const homes = new Map<Subject, Home>();
	// Without an agent of the user's: what is measured is what having it installed costs.
	for (const subject of subjects) homes.set(subject, await makeHome({ ...subject, agents: {}, model }));
	const start = async (home: Home): Promise<{ took: number; characters: number }> => {
		const before = model.requests.length;
		const began = performance.now();
		const env = { NODE_COMPILE_CACHE: join(home.scratch, "compiled") };
		await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", "Hi."], { env, timeoutMs: 60_000 });
		const took = performance.now() - began;
		const raw = model.requests[before]?.raw;
		if (!raw) throw new Error("The model was not asked.");
		return { took, characters: JSON.stringify(raw.tools ?? []).length + JSON.stringify(raw.messages).length };
	};
	try {
		for (let round = -1; round < rounds; round++) {
			progress(`start ${round + 2} of ${rounds + 1}`);
			const without = await start(bare);
			for (const [subject, home] of homes) {
				if (round < 0) await start(home).catch(() => undefined);
				else await take(subject, "startUp", async () => (await start(home)).took - without.took);
			}
			if (round < 0)
				for (const [subject, home] of homes)
					await take(subject, "prompt", async () => (await start(home)).characters - without.characters);
		}
	} finally {
		for (const home of [bare, ...homes.values()]) await cleanup(home);
		await model.close();
	}
}
