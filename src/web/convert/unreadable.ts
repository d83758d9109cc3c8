/** The first bytes of formats that are not text, their offset, and what to say about them. */
const SIGNATURES: readonly [begin: string, what: string, at?: number][] = [
	["\x89PNG\r\n", "an image (PNG)"],
	["\xff\xd8\xff", "an image (JPEG)"],
	["GIF8", "an image (GIF)"],
	["WEBP", "an image (WebP)", 8],
	["BM", "an image (BMP)"],
	["II*\0", "an image (TIFF)"],
	["MM\0*", "an image (TIFF)"],
	["ftypavif", "an image (AVIF)", 4],
	["ftyphei", "an image (HEIC)", 4],
	["\0\0\x01\0", "an image (icon)"],
	["ID3", "a sound"],
	["\xff\xfb", "a sound"],
	["OggS", "a sound"],
	["fLaC", "a sound"],
	["WAVE", "a sound", 8],
	["ftyp", "a video", 4],
	["\x1aE\xdf\xa3", "a video"],
	["\xd0\xcf\x11\xe0", "a document of an old Office program: save it as DOCX, XLSX or PPTX, or as PDF"],
	["PK\x03\x04", "an archive: unpack it first"],
	["\x1f\x8b", "an archive: unpack it first"],
	["7z\xbc\xaf", "an archive: unpack it first"],
	["\xfd7zXZ", "an archive: unpack it first"],
	["BZh", "an archive: unpack it first"],
	["\x28\xb5\x2f\xfd", "an archive: unpack it first"],
	["ustar", "an archive: unpack it first", 257],
	["wOF", "a font"],
	["OTTO", "a font"],
	["\0\x01\0\0", "a font"],
	["\x7fELF", "a program"],
	["MZ", "a program"],
	["\0asm", "a program"],
	["SQLite format 3\0", "a database (SQLite)"],
];

/** Why bytes cannot be read as text. */
export function whyUnreadable(bytes: Buffer): string {
	const head = bytes.subarray(0, 512).toString("latin1");
	const what = SIGNATURES.find(([begin, , at = 0]) => head.startsWith(begin, at))?.[1];
	if (what === undefined) return "It is not a kind of document that can be read as text.";
	if (!what.startsWith("an image")) return `It is ${what}.`;
	return `It is ${what.replace(/\)$/, `${sizeOfImage(bytes)})`)}. Words in images are not read.`;
}

function sizeOfImage(bytes: Buffer): string {
	if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
		return `, ${bytes.readUInt32BE(16)} × ${bytes.readUInt32BE(20)} pixels`;
	}
	if (bytes.length >= 10 && bytes.toString("latin1", 0, 3) === "GIF") {
		return `, ${bytes.readUInt16LE(6)} × ${bytes.readUInt16LE(8)} pixels`;
	}
	return "";
}
