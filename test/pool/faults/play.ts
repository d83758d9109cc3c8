import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { admitRun } from "../../../src/ledger/admit.ts";
import { sendToRun } from "../../../src/ledger/inbox.ts";
import { requestStop } from "../../../src/ledger/progress.ts";
import { newSessionId, type RunId } from "../../../src/run/ids.ts";
import { admission } from "../../ledger/samples.ts";
import { openRuns } from "./aftermath.ts";
import type { PoolAttack, Stage } from "./attack.ts";
import { FAULTS, type FaultKind, strike } from "./fault-kinds.ts";
import { PARENT_SESSION, POOL, profilesOf } from "./surroundings.ts";
import type { ScriptedTask } from "./task.ts";

/** Most faults meet workers: if the one courier or the one database died every other second, nothing would ever run. */
const OFTEN: Partial<Record<FaultKind, number>> = {
	"worker killed": 4,
	"porter killed": 4,
	"host of a child killed": 4,
	"worker suspended": 3,
	"connections cut": 4,
	"network silent": 2,
	"network slow": 3,
	"disk full": 2,
};

/** What was asked of the pool. */
export interface Played {
	messages: { body: string; runId: string }[];
	stopped: Set<string>;
}

/** Admits runs as long as faults come, so that each fault meets some. */
export async function play(attack: PoolAttack, stage: Stage): Promise<Played> {
	const { runs, faults, everyMs = 1000 } = attack;
	const { random } = stage;
	const user = new User(attack, stage);
	const kinds = (attack.kinds ?? kindsHere(stage)).flatMap((kind) => Array<FaultKind>(OFTEN[kind] ?? 1).fill(kind));
	for (let fault = 0, admitted = 0; fault < faults || admitted < runs; ) {
		const due = faults === 0 ? runs : Math.ceil((runs * (fault + 1)) / faults);
		for (; admitted < Math.min(runs, due); admitted++) {
			user.admit(admitted);
			while (attack.oneByOne && openRuns(stage) > 0) await pause(5);
			user.talk(admitted);
		}
		if (fault < faults) {
			await pause(everyMs * (0.5 + random.next()));
			stage.faults.push(await strike(random.pick(kinds), stage));
			fault++;
			if (fault % 20 === 0) stage.say(`${fault} faults, ${admitted} runs, ${openRuns(stage)} open`);
		}
	}
	return user;
}

function kindsHere({ workers, say }: Stage): FaultKind[] {
	const all = Object.keys(FAULTS) as FaultKind[];
	if (workers.every(({ canFill }) => canFill)) return all;
	say("No disk is filled: only root can mount one for each worker.");
	return all.filter((kind) => kind !== "disk full");
}

/** Asks for runs, says something to some of them, and stops others. */
class User implements Played {
	readonly messages: Played["messages"] = [];
	readonly stopped = new Set<string>();
	readonly #attack: PoolAttack;
	readonly #stage: Stage;
	readonly #ids: RunId[] = [];
	/** Only these are continued: what continues a session with changes is refused until somebody decides about them. */
	readonly #withoutChanges: RunId[] = [];
	readonly #sessions: ReturnType<typeof newSessionId>[] = [];
	readonly #oneIn: Required<PoolAttack>["oneIn"];

	constructor(attack: PoolAttack, stage: Stage) {
		this.#attack = attack;
		this.#stage = stage;
		this.#oneIn = attack.oneIn ?? { changes: 12, stop: 15, message: 6 };
	}

	admit(n: number): void {
		const { pool, oneByOne } = this.#attack;
		const { home, random } = this.#stage;
		const task = this.#task(n);
		const isKnown = !oneByOne && !task.changes && this.#sessions.length > 0 && random.chance(0.1);
		const known = isKnown ? this.#sessions.at(-random.between(1, Math.min(5, this.#sessions.length))) : undefined;
		const session = known ?? newSessionId();
		const base = admission({ task: JSON.stringify(task), session });
		const plan = {
			...base.plan,
			cwd: join(home.home, "project"),
			session: { id: session, file: join(home.home, "sessions", `${session}.jsonl`), resumed: known !== undefined },
			limits: { ...base.plan.limits, timeoutMs: 3_600_000, idleTimeoutMs: 3_600_000, toolTimeoutMs: 3_600_000 },
			...(pool !== false && { pool: { name: POOL.name, maxAttempts: 1000 } }),
			maxAttempts: 1000,
			...(task.changes && { tree: { maxFiles: 1000, maxBytes: 1e7, link: [], submodules: "warn" as const } }),
		};
		const { run } = admitRun(home.ledger, {
			...base,
			plan,
			mode: n % 5 === 0 ? "foreground" : "background",
			profile: profilesOf(home.agentDir, home.env).for(plan).digest,
			parentSession: PARENT_SESSION,
			at: Date.now(),
		});
		this.#ids.push(run.id);
		if (task.changes) return;
		this.#sessions.push(session);
		this.#withoutChanges.push(run.id);
	}

	/** Runs of a few seconds: a fault that comes every second meets most of them. */
	#task(n: number): ScriptedTask {
		const { oneByOne, stepMs } = this.#attack;
		const { random } = this.#stage;
		const { changes } = this.#oneIn;
		return {
			name: `t${n}`,
			steps: oneByOne ? 5 : random.between(4, 10),
			ms: stepMs ?? random.between(100, 700),
			...(n % changes === changes - 1 && { changes: true }),
		};
	}

	talk(n: number): void {
		const { home, random } = this.#stage;
		const { message, stop } = this.#oneIn;
		if (n % message === message - 1) {
			const to = this.#withoutChanges.at(-random.between(1, Math.min(6, this.#withoutChanges.length)));
			const body = `message-${n}`;
			if (to && sendToRun(home.ledger, to, { body, at: Date.now() }) !== undefined)
				this.messages.push({ body, runId: to });
		}
		if (n % stop === stop - 1) {
			// One that a worker has, if there is one: the others are simply cancelled.
			const away = home.ledger.all<{ id: RunId }>(
				"SELECT id FROM runs WHERE state = 'running' AND away LIKE '%\"worker\"%'",
			);
			const whom =
				away.length > 0 ? random.pick(away).id : this.#ids.at(-random.between(1, Math.min(8, this.#ids.length)));
			if (whom && requestStop(home.ledger, whom, { at: Date.now(), by: "user" })) this.stopped.add(whom);
		}
	}
}
