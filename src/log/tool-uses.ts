/** The tools of this package besides delegation. Their uses are logged, in the user's session and in children. */
export const OUR_TOOLS: readonly string[] = [
	"lsp",
	"web_search",
	"fetch_content",
	"get_search_content",
	"convert_content",
];

/** The message of the lines about them. */
export const USED_A_TOOL = "used a tool";

/** A finished call as the log records it: the question, the service that got it, and the result. Never the answer. */
export interface ToolUse {
	tool: string;
	ms: number;
	failed?: true;
	/** The codes of the errors. */
	errors?: string[];
	[fact: string]: unknown;
}

/** Follows the calls of one session. */
export class ToolUses {
	readonly #onUse: (use: ToolUse) => void;
	readonly #begun = new Map<string, { at: number; facts: object }>();

	constructor(onUse: (use: ToolUse) => void) {
		this.#onUse = onUse;
	}

	started({ toolCallId, toolName, args }: { toolCallId: string; toolName: string; args: unknown }): void {
		if (!OUR_TOOLS.includes(toolName)) return;
		this.#begun.set(toolCallId, { at: performance.now(), facts: tellable(toolName, recordOf(args)) });
	}

	ended({ toolCallId, toolName, result, isError }: EndedCall): void {
		const begun = this.#begun.get(toolCallId);
		if (!begun) return;
		this.#begun.delete(toolCallId);
		const errors = errorCodes(result);
		this.#onUse({
			tool: toolName,
			...begun.facts,
			ms: Math.round(performance.now() - begun.at),
			...(isError && { failed: true as const }),
			...(errors.length > 0 && { errors }),
		});
	}
}

interface EndedCall {
	toolCallId: string;
	toolName: string;
	result: unknown;
	isError: boolean;
}

const LONGEST_FACT = 200;

/**
 * What may be logged of a call: names in the code, files, and the hosts of addresses. The rest of an address may contain a
 * key.
 */
function tellable(tool: string, args: Record<string, unknown>): object {
	if (tool === "lsp") {
		const { action, file, server, query } = args;
		return shortTexts({ action, file, server, symbol: query });
	}
	const { path, url, urls, query, queries } = args;
	const hosts = textsOf(urls, url).map(hostOf);
	const searches = textsOf(queries, query);
	return {
		...shortTexts({ file: path }),
		...(hosts.length > 0 && { hosts: [...new Set(hosts)] }),
		// Only the lengths: the words reveal what the user works on.
		...(searches.length > 0 && { queryChars: searches.map(({ length }) => length) }),
	};
}

const shortTexts = (facts: Record<string, unknown>): object =>
	Object.fromEntries(
		Object.entries(facts).flatMap(([name, fact]) =>
			typeof fact === "string" && fact !== "" ? [[name, fact.slice(0, LONGEST_FACT)]] : [],
		),
	);

const textsOf = (list: unknown, one: unknown): string[] =>
	[...(Array.isArray(list) ? list.slice(0, 10) : []), one].filter((text) => typeof text === "string");

function hostOf(address: string): string {
	return URL.canParse(address) ? new URL(address).host : "(not an address)";
}

function errorCodes(result: unknown): string[] {
	const { errors } = recordOf(recordOf(result).details);
	const codes = Array.isArray(errors) ? errors.map((error) => recordOf(error).code) : [];
	return [...new Set(codes.filter((code) => typeof code === "string"))];
}

const recordOf = (value: unknown): Record<string, unknown> =>
	typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
