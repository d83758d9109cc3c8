import { homedir } from "node:os";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../agents/definition.ts";
import { inOneLine } from "../collect/plain.ts";
import { isTrustedByDecision, savedDecision } from "../config/project-trust.ts";
import { placesIn } from "../ledger/places.ts";
import { WriteConsents, type Writing } from "../operate/write-consents.ts";
import { listed } from "../plan/left-out.ts";
import type { WriteConsent } from "../plan/tools.ts";
import { isUntrusted } from "../plan/untrusted.ts";
import { messageOf } from "../run/message-of.ts";
import { inTurn } from "./dialog-line.ts";

/** The first one is selected when the dialog appears. */
const NOT_THIS_TIME = "No (default)";
const SESSION = "This session";
const ALWAYS = "Always, until its file changes";

const LONGEST_PATH_ASKED = 160;

/**
 * Asks the user at most once a session about each agent that wants to write, and again if its file has changed. A dismissed
 * dialog means No. If the turn or session (`over`) ends before the answer, the question stays open.
 */
export class WriteQuestions {
	readonly #over: AbortSignal;
	readonly #open = new Map<string, Promise<WriteConsent | undefined>>();
	readonly #answers = new Map<string, WriteConsent>();

	constructor(over: AbortSignal) {
		this.#over = over;
	}

	/** Undefined: the turn or the session ended first. */
	async ask(
		ctx: ExtensionContext,
		agent: AgentDefinition,
		tools: readonly string[],
	): Promise<WriteConsent | undefined> {
		if (isUntrustedFor(ctx, agent)) return "untrusted";
		const signal = ctx.signal ? AbortSignal.any([this.#over, ctx.signal]) : this.#over;
		for (;;) {
			const known = this.#known(agent);
			if (known) return known;
			if (!ctx.hasUI) return "not_asked";
			const answer = await this.#question(agent, () => this.#show(ctx, { agent, tools, signal }));
			// Parallel calls share one question. If the turn of the call that asked ended, the others ask themselves.
			if (answer !== undefined || signal.aborted) return answer;
		}
	}

	/** The consent that would apply if the agent ran now, without asking the user. */
	consent(ctx: ExtensionContext, agent: AgentDefinition): WriteConsent {
		return isUntrustedFor(ctx, agent) ? "untrusted" : (this.#known(agent) ?? "not_asked");
	}

	/** The user's answer about an agent so far. */
	writing(agent: AgentDefinition): Writing | undefined {
		const always = consentsOnFile().of(agent);
		if (always) return { always: always.since };
		const answer = this.#answers.get(consentKey(agent));
		if (answer === undefined) return undefined;
		return answer === "given" ? "session" : "refused";
	}

	/** Withdraws every answer about agents of this name, so that the user is asked again. Returns how many there were. */
	forget(name: string): number {
		const keys = [...this.#answers.keys()].filter((key) => key.startsWith(`${name} `));
		for (const key of keys) this.#answers.delete(key);
		return keys.length + consentsOnFile().forget(name);
	}

	#known(agent: AgentDefinition): WriteConsent | undefined {
		return consentsOnFile().of(agent) ? "given" : this.#answers.get(consentKey(agent));
	}

	#question(agent: AgentDefinition, show: () => Promise<WriteConsent | undefined>): Promise<WriteConsent | undefined> {
		const key = consentKey(agent);
		const question = this.#open.get(key) ?? show().finally(() => this.#open.delete(key));
		this.#open.set(key, question);
		return question;
	}

	async #show(ctx: ExtensionContext, { agent, tools, signal }: ConsentQuestion): Promise<WriteConsent | undefined> {
		const { ui } = ctx;
		const title = `${inOneLine(agent.name)} asks for ${listed(tools)}. Let it write in your checkout?`;
		const show = () => ui.select(`${title}\n${fileOf(agent)}`, [NOT_THIS_TIME, SESSION, ALWAYS], { signal });
		const chosen = await inTurn(ui, show, signal);
		if (chosen === undefined && signal.aborted) return undefined;
		if (chosen === ALWAYS && keepConsent(ctx, agent)) return "given";
		const answer = chosen === SESSION || chosen === ALWAYS ? "given" : "refused";
		this.#answers.set(consentKey(agent), answer);
		return answer;
	}
}

interface ConsentQuestion {
	agent: AgentDefinition;
	tools: readonly string[];
	signal: AbortSignal;
}

const consentsOnFile = (): WriteConsents => new WriteConsents(placesIn(getAgentDir()).writeConsents);

/** Stores the answer. If that fails, for example on a full disk, the answer still applies to this session. */
function keepConsent(ctx: ExtensionContext, agent: AgentDefinition): boolean {
	try {
		consentsOnFile().add(agent, Date.now());
		return true;
	} catch (error) {
		ctx.ui.notify(`pi-geon: ${agent.name} may write in this session only: ${messageOf(error)}`, "warning");
		return false;
	}
}

const consentKey = ({ name, digest }: AgentDefinition): string => `${name} ${digest}`;

/** The end of a path says more than its beginning. */
function fileOf({ file }: AgentDefinition): string {
	const shown = inOneLine(file);
	return shown.length <= LONGEST_PATH_ASKED ? shown : `…${shown.slice(1 - LONGEST_PATH_ASKED).toWellFormed()}`;
}

const isUntrustedFor = (ctx: ExtensionContext, agent: AgentDefinition): boolean =>
	isUntrusted(agent, { cwd: ctx.cwd, homeDir: homedir(), isTrusted: trustIn(ctx) });

function trustIn(ctx: ExtensionContext): boolean | undefined {
	if (isTrustedByDecision(ctx)) return true;
	// pi calls a folder without any of its resources trusted, whatever the user decided about it.
	const isDistrusted = !ctx.isProjectTrusted() || savedDecision(ctx.cwd) === false;
	return isDistrusted ? false : undefined;
}
