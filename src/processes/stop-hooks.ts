import type { Ledger } from "../ledger/ledger.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { stopHookDone, takeStopHooks } from "../ledger/stop-hooks.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import { type HookEnd, runHook } from "./hook.ts";

/** The most hooks at once: a hundred runs may end at the same time. */
const AT_ONCE = 4;

interface StopHooksSetup {
	ledger: Ledger;
	log: Log;
	ports: Ports;
}

/** Runs the stop hooks of finished runs, whichever process ended them. The result of a hook is only logged. */
export class StopHooks {
	readonly #setup: StopHooksSetup;
	#running = 0;

	constructor(setup: StopHooksSetup) {
		this.#setup = setup;
	}

	get running(): number {
		return this.#running;
	}

	/** Begins the hooks that are owed. No caller waits for them. */
	begin(): void {
		for (const record of takeStopHooks(this.#setup.ledger, AT_ONCE - this.#running)) void this.#run(record);
	}

	async #run(record: EndedRecord): Promise<void> {
		const { ledger, log, ports } = this.#setup;
		const { id } = record.run;
		const hook = record.plan.stopHook;
		this.#running++;
		try {
			if (!hook) return;
			const ended = await runHook({ ...hook, input: stopInput(record), clock: ports.clock });
			const facts = { runId: id, hook: hook.command[0], ...factsOf(ended, ledger.redact) };
			if (ended.kind === "exited" && ended.code === 0) log.info("stop hook ran", facts);
			else log.warn("stop hook failed", facts);
			stopHookDone(ledger, id);
		} catch (error) {
			log.error("stop hook failed", { runId: id, error });
		} finally {
			this.#running--;
			// Begins hooks that waited for this one. If that fails, the next look does it.
			try {
				this.begin();
			} catch (error) {
				log.warn("could not look for stop hooks", { error });
			}
		}
	}
}

const LONGEST_LOGGED = 500;

function factsOf(ended: HookEnd, redact: Ledger["redact"]): object {
	const { kind: how, said, ...facts } = { said: "", ...ended };
	return { how, ...facts, ...(said !== "" && { said: redact(said).slice(0, LONGEST_LOGGED) }) };
}

/** Uses the field names of Claude Code's SubagentStop, then our own. All text of the child is redacted. */
function stopInput({ run, plan, parentSession, sessionId, mode, label }: EndedRecord): object {
	const { outcome } = run;
	return {
		session_id: parentSession,
		cwd: plan.cwd,
		hook_event_name: "SubagentStop",
		stop_hook_active: false,
		agent_id: sessionId,
		agent_type: plan.agent,
		agent_transcript_path: plan.session.file,
		last_assistant_message: outcome.output ?? "",
		run_id: run.id,
		mode,
		...(label !== undefined && { label }),
		status: outcome.status,
		exit_code: outcome.exitCode,
		...(outcome.status !== "success" && { error: outcome.error }),
		...(outcome.model !== undefined && { model: outcome.model }),
		attempts: outcome.attempts,
		usage: outcome.usage,
		warnings: outcome.warnings,
	};
}
