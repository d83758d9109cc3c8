import type { ModelRuntime } from "@earendil-works/pi-coding-agent";
import type { Hop } from "../run/hop.ts";

/** The wire protocols of pi whose `fetch` can be replaced; the others refuse to have it replaced. */
export const WATCHABLE: ReadonlySet<string> = new Set([
	"anthropic-messages",
	"azure-openai-responses",
	"mistral-conversations",
	"openai-codex-responses",
	"openai-completions",
	"openai-responses",
]);

/**
 * Watches a child's requests, and decides whether a failure may pass. pi retries each request itself, as in the parent. Once
 * its retries have run out, this decides about another attempt of the run: by the status, or by the lack of any answer, never
 * by the words of a message.
 */
export class ProviderWatch {
	#closed = false;
	/** How the last request was answered; undefined if the request was not watched. */
	#answer: { status: number } | "none" | undefined;
	/** pi retried the failed request, so pi considers the failure temporary. */
	#wasRetried = false;

	/** pi asks the model again. */
	retried(): void {
		this.#wasRetried = true;
	}

	/** The model has answered. */
	answered(): void {
		this.#wasRetried = false;
	}

	/**
	 * Whether the last failure may pass. `retriesAreOn`: whether pi would have retried a failure that it considers
	 * temporary.
	 */
	mayPass(retriesAreOn: boolean): boolean {
		// Used-up quotas also come with 429, and errors of any kind may come within an answer that began well. pi knows
		// which of these pass.
		const isTemporaryToPi = this.#wasRetried || !retriesAreOn;
		if (this.#answer === "none") return true;
		if (this.#answer === undefined) return this.#wasRetried;
		const { status } = this.#answer;
		if (status >= 500 || status === 408 || status === 425) return true;
		return (status < 400 || status === 429) && isTemporaryToPi;
	}

	/**
	 * Why the model cannot be used, if another one may help: the status of the last answer, or what happened instead of one.
	 * Undefined for a failure that another model would have too, such as a context that is too long (400, 413).
	 */
	get whyUnusable(): Hop["why"] | undefined {
		if (this.#answer === "none") return "no_answer";
		const status = this.#answer?.status;
		if (status !== undefined && status >= 400) return isUnusable(status) ? status : undefined;
		// The answer was not seen, or it began well and failed later: trust pi's decision to retry.
		return this.#wasRetried ? "failed" : undefined;
	}

	/** From now on, the run asks another model. */
	changedModel(): void {
		this.#answer = undefined;
		this.#wasRetried = false;
	}

	/** Blocks further requests: parts of the child that still run after its end must not cost anything. */
	close(): void {
		this.#closed = true;
	}

	/** The same models and credentials, with this child's requests watched. */
	wrap(runtime: ModelRuntime): ModelRuntime {
		const watched: typeof fetch = async (input, init) => {
			this.#answer = "none";
			const response = await fetch(input, init);
			this.#answer = { status: response.status };
			return response;
		};
		const streamSimple: ModelRuntime["streamSimple"] = (model, context, options) => {
			if (this.#closed) throw new Error("The run has finished.");
			this.#answer = undefined;
			if (!WATCHABLE.has(model.api)) return runtime.streamSimple(model, context, options);
			return runtime.streamSimple(model, context, { ...options, fetch: watched });
		};
		return Object.create(runtime, { streamSimple: { value: streamSimple } }) as ModelRuntime;
	}
}

/** No credentials, no credit, not allowed, no such model, too slow, quota or rate limit, or an error of the server. */
const isUnusable = (status: number): boolean => status >= 500 || [401, 402, 403, 404, 408, 425, 429].includes(status);
