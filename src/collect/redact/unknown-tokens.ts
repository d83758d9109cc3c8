import { DASHED, DASHES, endOf, startOf, WORD_CHAR } from "./characters.ts";
import { looksRandom } from "./secret-values.ts";

/** Segments of a prefix that say what follows: `acme_live_…`, `acme-api-key-…`, `acme_sk_…`. */
const TELLING = new Set(
	"sk rk ak live prod pat tok token secret sec apikey accesskey privkey authtoken pwd pw key bearer auth".split(" "),
);
/** Before these, random characters are the name or the sum of something. */
const HARMLESS =
	/^(?:sha\d*|md\d|crc\d*|hash|integrity|nonce|etag|index|chunk|main|vendor|bundle|commit|rev|build|image|img|id|uid|uuid|ulid|cid|msg|req|resp|run|call|toolu|chatcmpl|asst|file|thread|step|batch|cus|price|prod|pm|pi|evt|ch|acct|sub|txn|in|ii|si|src|card|tr|po|user|usr|org|team|proj|prj|dpl|sess|session|trace|span|job|task|test|tmp|temp|cache|layer|snap|vol|subnet|ami|eni|blob|obj|node|pod|data|v\d|ssh|rsa|ed25519|boundary|webkitformboundary\w*|public|pub|pk|kid|fingerprint)$/i;
const MIN_TELLING = 20;
const MIN_UNKNOWN = 32;

/**
 * The end of a token of a service that is not in the list: a short prefix, `_` or `-`, and a run of random characters. An
 * identifier looks the same and is shorter; a sum is hexadecimal. `at` is where the run begins, `end` where it ends.
 */
export function unknownTokenAt(text: string, at: number, end: number): { start: number; end: number } | undefined {
	if (end - at < MIN_TELLING || end - at > 400 || at < 3) return undefined;
	const joint = text.charCodeAt(at - 1);
	if (joint !== 0x5f && joint !== 0x2d) return undefined;
	const segmentStart = startOf(text, at - 1, WORD_CHAR, 20);
	const segment = text.slice(segmentStart, at - 1);
	if (segment.length < 2 || segment.length > 16) return undefined;
	const run = text.slice(at, end);
	if (!/\d/.test(run) || !looksRandom(run) || isPartOfFile(text, end)) return undefined;
	const isHex = /^[0-9a-fA-F]+$/.test(run);
	const before = text.charCodeAt(segmentStart - 1);
	if (TELLING.has(segment.toLowerCase())) {
		// `cache-key-` and a sum is the name of a cache; in front of a secret stands who gave it out.
		const named = joint === 0x5f && before === 0x5f;
		return (isHex ? named && run.length >= 32 : true) ? { start: prefixStart(text, at), end } : undefined;
	}
	if (isHex || run.length < MIN_UNKNOWN || HARMLESS.test(segment) || !/^[A-Za-z]/.test(segment)) return undefined;
	return { start: prefixStart(text, at), end };
}

function prefixStart(text: string, at: number): number {
	const start = startOf(text, at, DASHED, 40);
	// A dash or an underscore before the prefix is a flag or a bullet.
	return endOf(text, start, DASHES, 4);
}

/** `chunk-….js`, `….tar.gz`: the sum in the name of a file. */
function isPartOfFile(text: string, end: number): boolean {
	return text.charAt(end) === "." && /^\.[a-z][a-z0-9]{0,4}\b/.test(text.slice(end, end + 7));
}
