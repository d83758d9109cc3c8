import type { AgentSession, ModelRuntime } from "@earendil-works/pi-coding-agent";
import type { FallbackModel, LaunchPlan, ModelChoice } from "../plan/plan.ts";
import type { Hop } from "../run/hop.ts";

type PiModel = NonNullable<ReturnType<ModelRuntime["getModel"]>>;

/** Why the model that is asked now cannot be used. */
export type Unusable = Pick<Hop, "why" | "said">;

type Candidate = { model: PiModel } | { why: Extract<Hop["why"], string> };

/**
 * The models of a run in the order in which they are asked: the chosen one, then its fallbacks. The ledger counts the hops,
 * so that the next host of the run continues with the same model.
 */
export class ModelLine {
	readonly #models: readonly (ModelChoice & Partial<FallbackModel>)[];
	/** The level of the plan: an earlier model may not have had it. */
	readonly #planned: LaunchPlan["thinking"];
	readonly #record: (hop: Hop) => boolean;
	#runtime: ModelRuntime | undefined;
	/** Includes those of earlier hosts. */
	readonly hops: Hop[];

	/** `record` records a hop before it is made; false if the run must not continue. */
	constructor(plan: LaunchPlan, hops: readonly Hop[], record: (hop: Hop) => boolean) {
		this.#models = [plan.model, ...(plan.fallbackModels ?? [])];
		this.#planned = plan.thinking;
		this.#record = record;
		this.hops = [...hops];
	}

	/**
	 * The model to begin with: the first that pi knows and has credentials for. If none has credentials, the last one that pi
	 * knows: pi's own error then says what to do.
	 */
	async first(runtime: ModelRuntime): Promise<PiModel | undefined> {
		this.#runtime = runtime;
		const found = await this.#candidate();
		if ("model" in found) return found.model;
		return (await this.#hopOver(found)) ?? this.#known;
	}

	/** `provider/id` of the model that is asked now. */
	get name(): string {
		return this.#current ? nameOfModel(this.#current) : "none";
	}

	/** The thinking level of the current model: what its name asks for, or the plan. */
	get thinking(): LaunchPlan["thinking"] {
		return this.#current?.thinking ?? this.#planned;
	}

	/** Continues with the next model in the same session. False if there is none. */
	async next(session: AgentSession, unusable: Unusable): Promise<boolean> {
		const model = await this.#hopOver(unusable);
		if (!model) return false;
		const level = this.thinking ?? session.thinkingLevel;
		await session.setModel(model);
		// Otherwise pi would use the level that its settings have for that model.
		session.setThinkingLevel(level);
		return true;
	}

	/** Whether pi no longer has credentials for the current model. */
	async lostCredentials(): Promise<boolean> {
		const found = await this.#candidate();
		return "why" in found && found.why === "no_credentials";
	}

	get #current(): (ModelChoice & Partial<FallbackModel>) | undefined {
		return this.#models[this.hops.length];
	}

	async #hopOver(unusable: Unusable): Promise<PiModel | undefined> {
		let why = unusable;
		for (;;) {
			const from = this.#current;
			const to = this.#models[this.hops.length + 1];
			if (!from || !to) return undefined;
			const hop: Hop = { from: nameOfModel(from), to: nameOfModel(to), ...why };
			if (!this.#record(hop)) return undefined;
			this.hops.push(hop);
			const found = await this.#candidate();
			if ("model" in found) return found.model;
			why = found;
		}
	}

	async #candidate(): Promise<Candidate> {
		const model = this.#known;
		if (!model) return { why: "unknown" };
		const hasAuth =
			this.#runtime?.hasConfiguredAuth(model.provider) ||
			(await this.#runtime?.checkAuth(model.provider)) !== undefined;
		return hasAuth ? { model } : { why: "no_credentials" };
	}

	get #known(): PiModel | undefined {
		const choice = this.#current;
		return choice && this.#runtime?.getModel(choice.provider, choice.id);
	}
}

const nameOfModel = ({ provider, id }: ModelChoice): string => `${provider}/${id}`;
