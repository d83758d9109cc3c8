import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { WebError } from "../error.ts";

/** The largest window that RFC 8878 recommends a decoder to support: 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

const DECODERS = new Map<string, () => Duplex>([
	["identity", () => new PassThrough()],
	["gzip", () => createGunzip()],
	["deflate", () => createInflate()],
	["br", () => createBrotliDecompress()],
	["zstd", () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

export const ACCEPTED_ENCODINGS = "gzip, deflate, br, zstd";

/** The whole body, unpacked. The limit applies to the bytes on the wire and to the unpacked ones. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
	const decoder = DECODERS.get((response.headers["content-encoding"] ?? "identity").trim().toLowerCase());
	try {
		if (Number(response.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
		if (!decoder) throw new WebError("CONTENT_FETCH_FAILED", "The response is packed in a way that was not asked for.");
		const chunks: Buffer[] = [];
		await pipeline(response, atMost(maxBytes), decoder(), atMost(maxBytes), async (source: AsyncIterable<Buffer>) => {
			for await (const chunk of source) chunks.push(chunk);
		});
		return Buffer.concat(chunks);
	} finally {
		response.destroy();
	}
}

function atMost(maxBytes: number): Transform {
	let size = 0;
	return new Transform({
		transform(chunk: Buffer, _encoding, done) {
			size += chunk.length;
			if (size > maxBytes) done(tooLarge(maxBytes));
			else done(null, chunk);
		},
	});
}

const tooLarge = (maxBytes: number): WebError =>
	new WebError("FILE_TOO_LARGE", `The response is larger than web.maxBytes (${maxBytes.toLocaleString("en-US")}).`);
