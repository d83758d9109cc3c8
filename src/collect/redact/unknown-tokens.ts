import { DASHED, DASHES, endOf, isDigit, isOf, NAME_CHAR, startOf, WORD_CHAR } from "./characters.ts";
import { looksRandom } from "./secret-values.ts";

/** Segments of a prefix that say what follows: `acme_live_…`, `acme-api-key-…`, `acme_sk_…`. */
const TELLING = new Set(
	(
		"sk rk ak live prod production pat tok tkn token secret sec apikey accesskey privkey authtoken pwd pw key bearer " +
		"auth oat priv private access refresh api apitoken apisecret clientsecret signkey whs admin test sandbox"
	).split(" "),
);
/** After these words, random characters are the name or the checksum of something. */
const HARMLESS =
	/^(?:sha\d*|diff|md\d|crc\d*|hash|integrity|nonce|etag|index|chunk|main|vendor|bundle|commit|rev|build|image|img|id|uid|uuid|ulid|cid|msg|req|resp|run|call|toolu|chatcmpl|asst|file|thread|step|batch|cus|price|prod|pm|pi|evt|ch|acct|sub|txn|in|ii|si|src|card|tr|po|user|usr|org|team|proj|prj|dpl|sess|session|trace|span|job|task|test|tmp|temp|cache|layer|snap|vol|subnet|ami|eni|blob|obj|node|pod|data|v\d|ssh|rsa|ed25519|boundary|webkitformboundary\w*|public|pub|pk|kid|fingerprint)$/i;
/** After these, a UUID is a token; alone it is an id. */
const BEFORE_UUID = /^(?:live|prod|production|sandbox|secret|token|key|pat|sk|apikey|apitoken)$/i;
const UUID_AT = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-])/y;
const MIN_TELLING = 20;
const MIN_UNKNOWN = 30;
/** Of one case: random characters after a dash begin differently. */
const PREFIX = /^(?:[a-z]{3,}|[A-Z]{3,})\d?$/;
/** The same if dashes are part of the random characters. */
const MIN_DASHED = 32;

/**
 * The end of a token of an unlisted service: a short prefix, `_` or `-`, and a run of random characters. An identifier
 * looks the same and is shorter; a checksum is hexadecimal. `at` is where the run begins, `end` where it ends.
 */
export function unknownTokenAt(text: string, at: number, end: number): { start: number; end: number } | undefined {
	if (at < 3 || end - at > 400) return undefined;
	const joint = text.charCodeAt(at - 1);
	if (joint === 0x2e) return afterDot(text, at, end);
	if (joint !== 0x5f && joint !== 0x2d) return undefined;
	const first = afterFirstPrefix(text, at);
	if (first !== undefined) return first;
	if (end - at < MIN_TELLING) return undefined;
	const segmentStart = startOf(text, at - 1, WORD_CHAR, 20);
	const segment = text.slice(segmentStart, at - 1);
	if (segment.length < 2 || segment.length > 16) return undefined;
	const run = text.slice(at, end);
	if (!/\d/.test(run) || !looksRandom(run) || isNameOfWords(run) || isPartOfFile(text, end)) return undefined;
	const isHex = /^[0-9a-fA-F]+$/.test(run);
	const before = text.charCodeAt(segmentStart - 1);
	if (isInData(text, segmentStart)) return undefined;
	if (TELLING.has(segment.toLowerCase()) || /[a-z](?:[Kk]ey|[Tt]oken|[Ss]ecret)$/.test(segment)) {
		// `cache-key-` and a checksum is the name of a cache; a secret has its issuer before it.
		const named = joint === 0x5f && before === 0x5f;
		return (isHex ? named && run.length >= 32 : true) ? wholeToken(text, at, end) : undefined;
	}
	if (isHex)
		return joint === 0x5f && isTokenInHex(text, segment, run, segmentStart) ? { start: segmentStart, end } : undefined;
	if (run.length < MIN_UNKNOWN || HARMLESS.test(segment) || !IS_PREFIX.test(segment)) return undefined;
	return wholeToken(text, at, end);
}

/** A plus sign between letters or digits: the middle of encoded data. */
const isInData = (text: string, at: number): boolean =>
	text.charCodeAt(at - 1) === 0x2b && isOf(WORD_CHAR, text.charCodeAt(at - 2));

/** Letters of one case and a number: random characters before a dash are a part of longer ones. */
const IS_PREFIX = /^(?:[A-Za-z][a-z]*|[A-Z]+)\d{0,3}$/;

/** `PKCS7GetSignerCommonName`: most of it is words that begin with a capital. */
function isNameOfWords(run: string): boolean {
	const words = run.match(/[A-Z][a-z]{3,}/g)?.join("").length ?? 0;
	return words > run.length / 2;
}

/** Before hexadecimal characters, these mean a checksum as often as a token. */
const BEFORE_CHECKSUM =
	/^(?:git|docs?|deploy|release|docker|layer|tree|head|ref|tag|dist|pkg|lib|app|web|css|js|ts|tmp|etag|sum|key|sig|digest|object|asset|static|page|block|tx|addr|peer|row|item|entry|record|doc|etl|db|tbl)$/i;

/** As long as a checksum, after one short word and an underscore: the name of no checksum. */
const isTokenInHex = (text: string, segment: string, run: string, start: number): boolean =>
	(run.length === 40 || run.length === 48 || run.length === 64) &&
	/^[a-z]{2,7}\d?$/.test(segment) &&
	!HARMLESS.test(segment) &&
	!BEFORE_CHECKSUM.test(segment) &&
	!isOf(DASHED, text.charCodeAt(start - 1));

const LEAST_AFTER_DOT = 32;

/** `acme.v1.…`: one or two short words with dots, and a run of capitals, small letters and digits. */
function afterDot(text: string, at: number, end: number): { start: number; end: number } | undefined {
	if (end - at < LEAST_AFTER_DOT || end - at > 200 || isPartOfFile(text, end) || text.charAt(end) === "(")
		return undefined;
	const start = startOf(text, at, NAME_CHAR, 30);
	const prefix = text.slice(start, at);
	return /^[a-z]{2,10}\d?[._](?:\w{1,12}\.)?$/.test(prefix) && looksLikeBase64url(text.slice(at, end))
		? { start, end }
		: undefined;
}

/** Includes further random characters: `_` and `-` are characters of base64url. */
function wholeToken(text: string, at: number, end: number): { start: number; end: number } | undefined {
	const whole = { start: prefixStart(text, at), end: endOfRandom(text, end) };
	return whole.end - startOf(text, at, DASHED, LONGEST) > LONGEST ? undefined : whole;
}

/** A public key in JSON is longer, and may have a prefix in it by chance. */
const LONGEST = 300;

/** The end of a token that continues after a dash: with random characters, or so few that they are a checksum. */
export function endOfRandom(text: string, end: number): number {
	const rest = endOf(text, end, DASHED, 400);
	if (rest - end < 2) return end;
	return looksRandom(text.slice(end + 1, rest)) || rest - end <= 12 ? rest : end;
}

/** A UUID after a telling prefix, or base64url after a prefix: both contain dashes. Called once per run of dashed words. */
function afterFirstPrefix(text: string, at: number): { start: number; end: number } | undefined {
	const code = text.charCodeAt(at);
	const start = startOf(text, at - 1, WORD_CHAR, 17);
	const segment = text.slice(start, at - 1);
	if (segment.length < 2 || segment.length > 16) return undefined;
	UUID_AT.lastIndex = at;
	if (isHexDigit(code) && BEFORE_UUID.test(segment) && UUID_AT.test(text))
		return { start: prefixStart(text, at), end: UUID_AT.lastIndex };
	if (isOf(DASHED, text.charCodeAt(start - 1)) || isInData(text, start) || HARMLESS.test(segment)) return undefined;
	const end = endOf(text, at, DASHED, 400);
	if (end - at < MIN_DASHED || end - at === 400 || !PREFIX.test(segment) || isPartOfFile(text, end)) return undefined;
	return looksLikeBase64url(text.slice(at, Math.min(end, at + 64))) ? { start, end } : undefined;
}

/** Capitals, small letters and digits throughout: the words of a name are not like that. */
function looksLikeBase64url(run: string): boolean {
	const changes = run.match(/[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z]|[A-Z]{2}[a-z]/g)?.length ?? 0;
	return changes >= run.length / 5 && /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
}

const isHexDigit = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

function prefixStart(text: string, at: number): number {
	const start = startOf(text, at, DASHED, 40);
	// A dash or an underscore before the prefix is a flag or a bullet.
	return endOf(text, start, DASHES, 4);
}

/** `chunk-….js`, `….tar.gz`: the checksum in the name of a file. */
function isPartOfFile(text: string, end: number): boolean {
	return text.charAt(end) === "." && /^\.[a-z][a-z0-9]{0,4}\b/.test(text.slice(end, end + 7));
}
