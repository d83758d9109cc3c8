import { inflateRawSync } from "node:zlib";
import { Unreadable } from "./converted.ts";

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 5, 6]);
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

const MOST_ENTRIES = 5_000;
/** The limit of one unpacked entry. The sizes that the archive declares are not trusted. */
const LARGEST_ENTRY = 32 * 1024 * 1024;
/** The limit of all unpacked entries that are read. */
const LARGEST_TOTAL = 128 * 1024 * 1024;

/**
 * The files in a zip archive, by the names in its directory. It writes no files, so these names are harmless. Anything
 * unusual (encryption, zip64, other compression) is an error.
 */
export class ZipArchive {
	readonly #zip: Buffer;
	/** The position of each entry in the central directory, which is authoritative; local headers may say anything. */
	readonly #entries: ReadonlyMap<string, number>;
	#left = LARGEST_TOTAL;

	constructor(bytes: Uint8Array) {
		this.#zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.#entries = withinBounds(() => directoryOf(this.#zip));
	}

	names(): string[] {
		return [...this.#entries.keys()];
	}

	read(name: string): Buffer | undefined {
		const header = this.#entries.get(name);
		if (header === undefined) return undefined;
		const unpacked = withinBounds(() => unpack(this.#zip, header, Math.min(LARGEST_ENTRY, this.#left)));
		this.#left -= unpacked.length;
		return unpacked;
	}
}

function directoryOf(zip: Buffer): Map<string, number> {
	const end = zip.lastIndexOf(END_OF_DIRECTORY);
	if (end === -1) throw new Unreadable("It is not a zip archive.");
	const count = zip.readUInt16LE(end + 10);
	if (count > MOST_ENTRIES) throw new Unreadable(`The archive has more than ${MOST_ENTRIES} entries.`);
	const entries = new Map<string, number>();
	for (let index = 0, at = zip.readUInt32LE(end + 16); index < count; index++) {
		if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damagedArchive();
		const nameLength = zip.readUInt16LE(at + 28);
		const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
		if (!entries.has(name)) entries.set(name, at);
		at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
	return entries;
}

function unpack(zip: Buffer, header: number, most: number): Buffer {
	const method = zip.readUInt16LE(header + 10);
	const size = zip.readUInt32LE(header + 20);
	const local = zip.readUInt32LE(header + 42);
	if (zip.readUInt16LE(header + 8) & 1) throw new Unreadable("The archive is encrypted.");
	if (zip.readUInt32LE(local) !== LOCAL_HEADER) throw damagedArchive();
	const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
	const packed = zip.subarray(start, start + size);
	if (method === STORED && size <= most) return packed;
	if (method !== STORED && method !== DEFLATED) throw new Unreadable("The archive is packed in an unusual way.");
	if (most <= 0 || method === STORED) throw unpacksTooFar();
	return inflateRawSync(packed, { maxOutputLength: most });
}

function withinBounds<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (error instanceof Unreadable) throw error;
		if (error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw unpacksTooFar();
		throw damagedArchive();
	}
}

const damagedArchive = (): Unreadable => new Unreadable("The archive is damaged.");
const unpacksTooFar = (): Unreadable => new Unreadable("It unpacks to more than can be read.");
