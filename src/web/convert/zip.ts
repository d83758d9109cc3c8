import { inflateRawSync } from "node:zlib";
import { Unreadable } from "./converted.ts";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

const MOST_ENTRIES = 5_000;
/** Of one entry, unpacked. The sizes that the archive tells are not believed. */
const LARGEST_ENTRY = 32 * 1024 * 1024;

/** One file out of a zip archive. Anything unusual (encryption, zip64, other packings) is an error. */
export function readZipEntry(zip: Buffer, name: string): Buffer | undefined {
	const header = findEntry(zip, name);
	if (header === undefined) return undefined;
	const method = zip.readUInt16LE(header + 10);
	const size = zip.readUInt32LE(header + 20);
	const local = zip.readUInt32LE(header + 42);
	if (zip.readUInt16LE(header + 8) & 1) throw new Unreadable("The archive is encrypted.");
	if (zip.readUInt32LE(local) !== LOCAL_HEADER) throw new Unreadable("The archive is damaged.");
	const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
	const packed = zip.subarray(start, start + size);
	if (method === STORED && size <= LARGEST_ENTRY) return packed;
	if (method !== DEFLATED) throw new Unreadable("The archive is packed in an unusual way.");
	return inflateRawSync(packed, { maxOutputLength: LARGEST_ENTRY });
}

/** Where the entry stands in the central directory, which is what counts; local headers may say anything. */
function findEntry(zip: Buffer, name: string): number | undefined {
	const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
	if (end === -1 || zip.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Unreadable("It is no zip archive.");
	const entries = zip.readUInt16LE(end + 10);
	if (entries > MOST_ENTRIES) throw new Unreadable(`The archive has more than ${MOST_ENTRIES} entries.`);
	let at = zip.readUInt32LE(end + 16);
	for (let index = 0; index < entries; index++) {
		if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Unreadable("The archive is damaged.");
		const nameLength = zip.readUInt16LE(at + 28);
		if (zip.toString("utf8", at + 46, at + 46 + nameLength) === name) return at;
		at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
	return undefined;
}
