import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inLedger } from "../e2e/ledger-of.ts";
import type { Home } from "../helpers/home.ts";
import { type RpcClient, startRpc } from "../helpers/rpc.ts";
import { promptFor } from "./child-model.ts";
import type { Call, MachineTrouble, Step } from "./plan.ts";

/** How long one prompt may take; what is not over then continues while the next is asked. */
const PROMPT_MS = 12_000;

export interface DriverSetup {
	home: Home;
	name: string;
	steps: Step[];
	env: Record<string, string>;
	powerCut(): void;
	trouble(what: MachineTrouble): void;
}

/** A user with one session, who opens it again whenever their pi dies, and continues with the next thing. */
export class ParentDriver {
	readonly #setup: DriverSetup;
	readonly #file: string;
	#rpc: RpcClient | undefined;

	constructor(setup: DriverSetup) {
		this.#setup = setup;
		this.#file = sessionFileOf(setup.home, setup.name);
	}

	/** Says everything there is to say. What is lost with its pi is said once more. */
	async ask(): Promise<void> {
		for (const step of this.#setup.steps) {
			if (step.do === "power cut") this.#setup.powerCut();
			else if (step.do === "reopen") await this.#reopen(step.in);
			else if (!(await this.#said(step))) await this.#said(step);
		}
	}

	/** Opens the session again if its pi is gone. Answers what it has not been told yet, or is still busy with. */
	async unsettled(): Promise<string[]> {
		try {
			const rpc = await this.#open();
			const { data } = await rpc.send({ type: "get_state" });
			const { isStreaming, pendingMessageCount } = data as { isStreaming: boolean; pendingMessageCount: number };
			const busy = isStreaming || pendingMessageCount > 0;
			return busy ? [`${this.#setup.name} is busy`, ...this.#owed()] : this.#owed();
		} catch (error) {
			requireGone(error);
			return [`${this.#setup.name} is gone`];
		}
	}

	async close(): Promise<void> {
		await this.#rpc?.close();
	}

	async #reopen(trouble: MachineTrouble): Promise<void> {
		await this.#rpc?.close();
		this.#setup.trouble(trouble);
		try {
			await this.#open();
		} catch (error) {
			requireGone(error);
		}
	}

	async #said(step: Extract<Step, { do: "prompt" }>): Promise<boolean> {
		try {
			await this.#prompt(step);
			return true;
		} catch (error) {
			requireGone(error);
			return false;
		}
	}

	async #prompt({ calls, abortAfterMs }: Extract<Step, { do: "prompt" }>): Promise<void> {
		const rpc = await this.#open();
		const before = rpc.events.length;
		const message = promptFor(calls.map((call) => this.#withSession(call)));
		await rpc.send({ type: "prompt", message, streamingBehavior: "followUp" });
		if (abortAfterMs !== undefined) {
			await Promise.race([sleep(abortAfterMs), rpc.exited]);
			await rpc.send({ type: "abort" });
		}
		await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before, timeoutMs: PROMPT_MS });
	}

	async #open(): Promise<RpcClient> {
		if (this.#rpc && this.#cannotWrite(this.#rpc)) await this.#rpc.close();
		const alive = this.#rpc && this.#rpc.child.exitCode === null && this.#rpc.child.signalCode === null;
		if (this.#rpc && alive) return this.#rpc;
		this.#removeIfTornAtBirth();
		mkdirSync(dirname(this.#file), { recursive: true });
		this.#rpc = startRpc(this.#setup.home, { args: ["--session", this.#file], env: this.#setup.env });
		await this.#rpc.send({ type: "get_state" });
		return this.#rpc;
	}

	/** pi makes the file of a session at one go. If that met a full disk it finds its own half of it, and never continues. */
	#cannotWrite({ events }: RpcClient): boolean {
		return events.some((event) => JSON.stringify(event).includes("EEXIST"));
	}

	/** pi does not open a file whose first line is torn. Nothing can have been asked for in such a session. */
	#removeIfTornAtBirth(): void {
		if (existsSync(this.#file) && !readFileSync(this.#file, "utf8").includes("\n")) rmSync(this.#file);
	}

	#withSession({ tool, args }: Call): Call {
		if (args.sessionId !== "ended") return { tool, args };
		const { sessionId: _, ...others } = args;
		const session = this.#session();
		const [ended] = inLedger<{ session_id: string }>(
			this.#setup.home,
			"SELECT session_id FROM runs WHERE parent_session = ? AND agent = ? AND state = 'ended' AND archived_at IS NULL LIMIT 1",
			session ?? "",
			args.agent ?? "",
		);
		return { tool, args: ended ? { ...others, sessionId: ended.session_id } : others };
	}

	#owed(): string[] {
		const sql =
			"SELECT id, state, delivery FROM runs WHERE parent_session = ? AND (state <> 'ended' OR delivery = 'owed')";
		const rows = inLedger<{ id: string; state: string; delivery: string }>(
			this.#setup.home,
			sql,
			this.#session() ?? "",
		);
		return rows.map(
			({ id, state, delivery }) => `${this.#setup.name} was not told of run ${id} (${state}, ${delivery})`,
		);
	}

	#session(): string | undefined {
		if (!existsSync(this.#file)) return undefined;
		const text = readFileSync(this.#file, "utf8");
		if (!text.includes("\n")) return undefined;
		return (JSON.parse(text.slice(0, text.indexOf("\n"))) as { id: string }).id;
	}
}

export const sessionFileOf = (home: Home, parent: string): string => join(home.home, "parents", `${parent}.jsonl`);

/** Killed in the middle of it, or suspended for longer than anybody waits: what the attack is about. */
function requireGone(error: unknown): void {
	const expected = error instanceof Error && /pi ended before|No such event within|pi refused/.test(error.message);
	if (!expected) throw error;
}
