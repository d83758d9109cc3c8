import { type Ring, type RingSetup, tmpInside } from "./ring.ts";

/** Messages of programs that could not look up a name or reach an address. */
const WANTS_NETWORK =
	/could not resolve|temporary failure in name resolution|name or service not known|network is unreachable|no address associated|EAI_AGAIN|ENETUNREACH|ENOTFOUND|dial (tcp|udp)|failed to (fetch|download)|getaddrinfo|dns error|failed to connect to (?!localhost|127\.|\[?::1)/i;

const WANTS_TO_WRITE = /read-only file system|EROFS/i;

/**
 * Lines for the model about what a ring has denied to a failed program, judging by its output. Without them, a model looks
 * for the mistake in the program.
 */
export function denialsIn(output: string, setup: RingSetup, refused: readonly string[] = []): string[] {
	return [
		...(setup.network === "off" && WANTS_NETWORK.test(output) ? [NO_NETWORK] : []),
		...(refused.length > 0 ? [notOnTheList(refused)] : []),
		...(setup.network === "allowlist" && refused.length === 0 && WANTS_NETWORK.test(output) ? [PROXY_ONLY] : []),
		...(WANTS_TO_WRITE.test(output) ? [`[${whatMayBeWritten(setup)}]`] : []),
	];
}

const NO_NETWORK =
	"[The network is off for commands of this subagent. The user can allow it: subagents.sandbox.network in pi-geon.json, or `network: on` in the agent's file.]";

const notOnTheList = (hosts: readonly string[]): string =>
	`[Commands of this subagent may not reach ${[...new Set(hosts)].slice(0, 10).join(", ")}. The user can allow it: subagents.sandbox.network in pi-geon.json, or \`network\` in the agent's file.]`;

const PROXY_ONLY =
	"[Commands of this subagent can reach only some hosts, and only over HTTP and HTTPS, through the proxy in HTTPS_PROXY.]";

/** Returns a function that lists the hosts that the ring has refused since. */
export function watchRefused({ refused }: Ring): () => string[] {
	const before = refused.length;
	return () => refused.slice(before);
}

const whatMayBeWritten = (setup: RingSetup): string =>
	`This subagent may write below ${[tmpInside(setup), ...setup.writable].join(", ")}, and nowhere else.`;
