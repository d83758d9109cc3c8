const META =
	/<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})/i;

/**
 * Bytes to text, as a browser does it: the byte order mark wins, then the header, then what the page says of itself.
 * Where nothing is said, or it is no known charset: UTF-8 if it is valid, else the charset of the old web.
 */
export function decodeText(bytes: Buffer, contentType = ""): string {
	const header = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1];
	const meta = META.exec(bytes.subarray(0, 4096).toString("latin1"));
	for (const label of [byMark(bytes), header, meta?.[1] ?? meta?.[2]]) {
		const decoder = label === undefined ? undefined : decoderFor(label);
		if (decoder) return decoder.decode(bytes);
	}
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder("windows-1252").decode(bytes);
	}
}

function byMark([first, second, third]: Buffer): string | undefined {
	if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function decoderFor(label: string) {
	try {
		return new TextDecoder(label);
	} catch {
		return undefined; // A name that no standard knows.
	}
}
