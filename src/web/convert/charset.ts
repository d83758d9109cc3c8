const OWN_WORD =
	/<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]{1,40})|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})|^[#;%/*-][^\n]{0,100}coding[:=]\s*([\w.-]{1,40})/i;
/** Where a page declares its charset. A browser looks at 1,024 bytes; pages with long comments need more. */
const OWN_WORD_BYTES = 64 * 1024;
/**
 * Bytes to text, as a browser does it: the byte order mark wins, then the header, then the document's own declaration.
 * Without one, or with an unknown charset, UTF-8 if it is valid; otherwise the caller has to guess.
 */
export function decodeDeclared(bytes: Buffer, contentType = ""): string | undefined {
	const header = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1];
	for (const label of [byMark(bytes), header, ownWord(bytes), utf16Without(bytes)]) {
		const decoder = label === undefined ? undefined : decoderFor(label);
		if (decoder) return decoder.decode(bytes);
	}
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined; // Not UTF-8.
	}
}

/** Detects UTF-16 without its mark: half of the bytes of western text are zero, all at even or all at odd positions. */
export function utf16Without(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
	const sample = bytes.subarray(0, 4096 & ~1);
	const zeros = [0, 0];
	for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
	const [even = 0, odd = 0] = zeros;
	const pairs = sample.length / 2;
	if (pairs < 2 || even + odd < pairs * 0.3) return undefined;
	if (even === 0) return "utf-16le";
	return odd === 0 ? "utf-16be" : undefined;
}

function byMark([first, second, third]: Buffer): string | undefined {
	if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** A document whose declaration is readable as ASCII is not in UTF-16, even if it says so. */
function ownWord(bytes: Buffer): string | undefined {
	const match = OWN_WORD.exec(bytes.subarray(0, OWN_WORD_BYTES).toString("latin1"));
	const label = match?.[1] ?? match?.[2] ?? match?.[3];
	return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

export function decoderFor(label: string) {
	try {
		return new TextDecoder(label);
	} catch {
		return undefined; // A name that no standard knows.
	}
}
