import type { ExtensionFactory, ModelRuntime } from "@earendil-works/pi-coding-agent";

/** The wire protocols of pi whose requests can be counted; the others refuse to have their `fetch` replaced. */
export const COUNTABLE: ReadonlySet<string> = new Set([
	"anthropic-messages",
	"azure-openai-responses",
	"mistral-conversations",
	"openai-codex-responses",
	"openai-completions",
	"openai-responses",
]);

/**
 * Keeps pi's two retries apart. A request that is refused, by its status, or that finds nobody there is tried again by
 * pi's provider layer, which knows statuses and `Retry-After`. An answer that breaks off in the middle is tried again by
 * pi's agent layer, which would repeat the first kind too, going by the words of the message: that is called off here.
 */
export class ProviderWatch {
	#answered = false;
	#closed = false;
	readonly #allowed: number;
	readonly #onRetry: (retries: number) => void;
	/** Requests that were made again, by either layer. */
	retries = 0;

	/** `allowed`: how many retries there may be in all. */
	constructor(allowed: number, onRetry: (retries: number) => void) {
		this.#allowed = allowed;
		this.#onRetry = onRetry;
	}

	/** Whether the agent layer may have an answer that broke off written again; if so, it counts. */
	mayAnswerAgain(): boolean {
		if (!this.#answered || this.retries >= this.#allowed) return false;
		this.#retried();
		return true;
	}

	#retried(): void {
		this.retries++;
		this.#onRetry(this.retries);
	}

	/** No more requests: whatever of the child is still under way, it must not cost anything after its end. */
	close(): void {
		this.#closed = true;
	}

	/** Sees from inside the child when a request is made and when an answer begins. */
	readonly guard: ExtensionFactory = (pi) => {
		pi.on("before_provider_request", () => {
			this.#answered = false;
		});
		pi.on("after_provider_response", ({ status }) => {
			this.#answered = status < 400;
		});
	};

	/** The same models and credentials, with this child's requests counted. */
	over(runtime: ModelRuntime): ModelRuntime {
		const streamSimple: ModelRuntime["streamSimple"] = (model, context, options) => {
			if (this.#closed) throw new Error("The run has ended.");
			const maxRetries = Math.max(0, this.#allowed - this.retries);
			if (!COUNTABLE.has(model.api)) return runtime.streamSimple(model, context, { ...options, maxRetries });
			let requests = 0;
			const counted: typeof fetch = (input, init) => {
				if (++requests > 1) this.#retried();
				return fetch(input, init);
			};
			return runtime.streamSimple(model, context, { ...options, maxRetries, fetch: counted });
		};
		return Object.create(runtime, { streamSimple: { value: streamSimple } }) as ModelRuntime;
	}
}
