import { inputTokens, type Usage } from "../run/usage.ts";
import type { SpanAttributes } from "./span.ts";

/** OpenTelemetry's names of providers that pi names differently. Any other name is kept. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
	google: "gcp.gemini",
	"google-vertex": "gcp.vertex_ai",
	"amazon-bedrock": "aws.bedrock",
	"azure-openai-responses": "azure.ai.openai",
	"openai-codex": "openai",
	mistral: "mistral_ai",
	moonshotai: "moonshot_ai",
	xai: "x_ai",
};

const FINISH_REASONS: Readonly<Record<string, string>> = { toolUse: "tool_calls" };

export const providerName = (provider: string): string =>
	Object.hasOwn(PROVIDER_NAMES, provider) ? (PROVIDER_NAMES[provider] ?? provider) : provider;

export const finishReason = (stopReason: string): string =>
	Object.hasOwn(FINISH_REASONS, stopReason) ? (FINISH_REASONS[stopReason] ?? stopReason) : stopReason;

/** `provider/id`, where the id may contain slashes. */
export function modelParts(name: string): { provider: string; id: string } {
	const slash = name.indexOf("/");
	return slash === -1
		? { provider: "unknown", id: name }
		: { provider: name.slice(0, slash), id: name.slice(slash + 1) };
}

/** Input includes tokens from the provider's cache, as the conventions say. */
export const usageAttributes = (usage: Usage): SpanAttributes => ({
	"gen_ai.usage.input_tokens": inputTokens(usage),
	"gen_ai.usage.output_tokens": usage.output,
	"gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
	"gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
	"pi_geon.cost_usd": usage.cost,
});
