import { describe, expect, test } from "vitest";
import { legible } from "../../src/run/legible.ts";
import { convertDocument, type RawDocument } from "../../src/web/convert/convert.ts";
import { csvToMarkdown } from "../../src/web/convert/csv.ts";
import { decodeDetected } from "../../src/web/convert/detect-charset.ts";
import { convertWorker } from "../helpers/repository.ts";
import { ARTICLE, makeDocx, makePdf, makeZip, packedSpaces } from "./documents.ts";

const WORKER = convertWorker();

const convert = (content: string | Buffer, declared: Partial<RawDocument> = {}, timeoutMs = 20_000) =>
	convertDocument(
		{ bytes: Buffer.from(content), url: "https://site.example/page", preferReader: true, ...declared },
		WORKER,
		{ timeoutMs, signal: undefined },
	);

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000280000001e0", "hex");

const failing = (code: string) => expect.objectContaining({ name: "WebError", code });

describe("a page", () => {
	test("becomes its article, with code, tables and whole links", async () => {
		const { kind, title, text } = await convert(ARTICLE, { contentType: "text/html" });
		expect([kind, title]).toEqual(["html", "Homing & more"]);
		expect(text).toContain("magnetic field of the earth");
		expect(text).toContain('```ts\nconst home: string = "loft";\n```');
		expect(text).toMatch(/\| Breed \| Speed \|\n\| --- \| --- \|\n\| Racer \| 90 km\/h \|/);
		expect(text).toContain("[list of flights](https://site.example/flights?x=1)");
		for (const noise of ["Imprint", "About us", "SCRIPT", ".x{}"]) expect(text).not.toContain(noise);
	});

	test("is whole when that is wanted, but without navigation, scripts and styles", async () => {
		const { text } = await convert(ARTICLE, { contentType: "text/html", preferReader: false });
		for (const part of ["Imprint", "magnetic field"]) expect(text).toContain(part);
		for (const noise of ["About us", "SCRIPT", ".x{}"]) expect(text).not.toContain(noise);
	});

	test("without an article is not empty", async () => {
		const { text } = await convert("<html><body><div>Just a word</div></body></html>", { contentType: "text/html" });
		expect(text).toContain("Just a word");
	});

	test("nested without end neither hangs nor crashes the process", async () => {
		const outcome = await convert(
			`<html><body>${"<div><b>".repeat(100_000)}x`,
			{ contentType: "text/html" },
			2_000,
		).catch((error: { code: string }) => error.code);
		if (typeof outcome === "string") expect(outcome).toMatch(/^CONVERT_(FAILED|TIMEOUT)$/);
	});

	test("that takes too long is given up, without blocking the others", async () => {
		const slow = `<html><body>${"<p class=a>word <a href=x>link</a></p>".repeat(200_000)}</body></html>`;
		let ticks = 0;
		const timer = setInterval(() => ticks++, 10);
		await expect(convert(slow, { contentType: "text/html" }, 300)).rejects.toEqual(failing("CONVERT_TIMEOUT"));
		clearInterval(timer);
		// A thread that is held up until the end has one turn then, and not several.
		expect(ticks).toBeGreaterThan(2);
	});

	test("ends when the caller no longer wants it", async () => {
		const raw = {
			bytes: Buffer.from(ARTICLE),
			contentType: "text/html",
			url: "https://a.example/",
			preferReader: true,
		};
		const limits = { timeoutMs: 10_000, signal: AbortSignal.abort() };
		await expect(convertDocument(raw, WORKER, limits)).rejects.toMatchObject({ name: "AbortError" });
	});
});

describe("a PDF", () => {
	test("becomes its text, page by page", async () => {
		const { kind, title, text } = await convert(makePdf(["First page of flights", "Second page"]), {
			contentType: "application/pdf",
		});
		expect({ kind, title, text }).toEqual({
			kind: "pdf",
			title: "Pigeon paper",
			text: "[Page 1]\n\nFirst page of flights\n\n[Page 2]\n\nSecond page",
		});
	});

	test("is known by its first bytes, whatever it is called", async () => {
		expect((await convert(makePdf(["Hello"]), { contentType: "text/html; charset=utf-8" })).text).toBe("Hello");
	});

	test("that unpacks to gigabytes is given up before it takes them", async () => {
		const bomb = makePdf([packedSpaces(4_000_000_000)]);
		expect(bomb.length).toBeLessThan(5_000_000);
		const failure = await convert(bomb, {}, 80_000).catch((error: Error) => error);
		expect(failure).toEqual(failing("CONVERT_FAILED"));
		expect(String(failure)).toContain("too much memory");
	});

	test("that is broken is an error", async () => {
		await expect(convert("%PDF-1.7\nnothing of the kind")).rejects.toEqual(failing("CONVERT_FAILED"));
		await expect(convert(makePdf(["Hello"]).subarray(0, 200))).rejects.toEqual(failing("CONVERT_FAILED"));
	});
});

describe("a Word document", () => {
	test("becomes markdown", async () => {
		const { kind, text } = await convert(makeDocx());
		expect(kind).toBe("docx");
		expect(text).toBe(`# Flight report

## Tom & Jerry’s pigeons

They always\tcome home.

See [the site](https://pigeons.example/?a=1&b=2).

- grey
  - light
- white

| Name | Speed |
| --- | --- |
| Ada\\|B | 90 |

The end.`);
	});

	test("that unpacks to far more than it is, whatever sizes it tells, is an error", async () => {
		const bomb = makeZip({ "word/document.xml": Buffer.alloc(200_000_000, "<w:p>") }, { lie: true });
		expect(bomb.length).toBeLessThan(1_000_000);
		await expect(convert(bomb)).rejects.toEqual(failing("CONVERT_FAILED"));
	});

	test("with an endless number of entries, or damaged anywhere, is an error", async () => {
		const many = makeDocx();
		many.writeUInt16LE(60_000, many.length - 22 + 10);
		await expect(convert(many)).rejects.toEqual(failing("CONVERT_FAILED"));
		const whole = makeDocx();
		for (const at of [1, 0.3, 0.6, 0.9]) {
			const damaged = Buffer.concat([
				whole.subarray(0, Math.floor(whole.length * at) - 30),
				Buffer.from("word/document.xml"),
			]);
			await expect(convert(damaged)).rejects.toEqual(failing("CONVERT_FAILED"));
		}
	});

	test("entities of its own are not expanded", async () => {
		const body = "<w:p><w:r><w:t>&lol; &#xFFFFFF; &amp;lt;</w:t></w:r></w:p>";
		expect((await convert(makeDocx(body))).text).toBe("&lol; \ufffd &lt;");
	});
});

describe("other kinds", () => {
	test("JSON is indented, broken JSON is shown as it is", async () => {
		expect((await convert('{"a":[1,{"b":null}]}', { contentType: "application/ld+json" })).text).toBe(
			JSON.stringify({ a: [1, { b: null }] }, null, 2),
		);
		expect((await convert("{broken", { contentType: "application/json" })).text).toBe("{broken");
		expect((await convert("[".repeat(200_000), { contentType: "application/json" })).text).toHaveLength(200_000);
	});

	test("CSV becomes a table", async () => {
		const { kind, text } = await convert('name,note\r\nAda,"says ""coo"", often"\r\nBo,"two\nlines"\r\n\r\nC|d', {
			name: "birds.csv",
		});
		expect(kind).toBe("csv");
		expect(text).toBe('| name | note |\n| --- | --- |\n| Ada | says "coo", often |\n| Bo | two lines |\n| C\\|d |');
		expect(csvToMarkdown("a\tb\n1\t2", "\t")).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
		expect(csvToMarkdown('a,"never closed\nb', ",")).toBe("| a | never closed b |\n| --- | --- |");
		expect(csvToMarkdown("\n\n", ",")).toBe("");
		expect(csvToMarkdown(",,\na,,b", ",")).toBe("| a |  | b |\n| --- | --- | --- |");
	});

	test("text stays, except what no reader sees", async () => {
		expect((await convert("plain\r\ntext", { contentType: "text/plain" })).text).toBe("plain\ntext");
		const hidden = "a\u001b[31mb\u202ec\u2066d\u{e0041}\u{e0042}e\u0000\u0085f\tg\n👩‍👩‍👧";
		expect(legible(hidden)).toBe("a[31mbcdef\tg\n👩‍👩‍👧");
	});

	test("what is declared wrongly is read as what it is", async () => {
		expect((await convert(ARTICLE, { contentType: "application/pdf" })).kind).toBe("html");
		expect((await convert(ARTICLE, { contentType: "text/plain" })).kind).toBe("html");
		expect((await convert(ARTICLE, { contentType: "application/octet-stream" })).kind).toBe("html");
		expect((await convert('{"a":1}', {})).kind).toBe("json");
		expect((await convert("a, b", { contentType: "application/octet-stream" })).kind).toBe("text");
	});

	test.each([
		["an image", PNG, "image/png", "It is an image (PNG, 640 × 480 pixels). Words in images are not read."],
		["an image that is called a page", PNG, "text/html", "It is an image (PNG, 640 × 480 pixels)."],
		["an archive", makeZip({ "a.txt": "x" }), "application/zip", "It is an archive: unpack it first."],
		["an old Word document", Buffer.from("d0cf11e0a1b11ae10000", "hex"), "application/msword", "old Office program"],
		["anything else", Buffer.from([1, 0, 2, 0, 0, 3]), "text/html", "not a kind of document"],
	])("%s is not converted, and says what it is", async (_, bytes, contentType, reason) => {
		const failure = await convert(bytes, { contentType }).catch((error: Error) => error);
		expect(failure).toEqual(failing("CONVERT_FAILED"));
		expect(String(failure)).toContain(reason);
	});

	test("plain text that is served as a page is text, with all its lines", async () => {
		const text = "#include <stdio.h>\n\n  a < b && c > d\n  line two";
		expect(await convert(text, { contentType: "text/html" })).toMatchObject({ kind: "text", text });
	});

	test("XHTML with a prolog is a page, whatever it is served as", async () => {
		const page = `<?xml version="1.0" encoding="utf-8"?>\n<!-- made -->\n<!DOCTYPE html PUBLIC "a" "b">\n<html xmlns="c"><body><h1>Home</h1></body></html>`;
		for (const contentType of ["application/xml", "text/xml", "text/plain", ""]) {
			expect(await convert(page, { contentType })).toMatchObject({ kind: "html", text: "# Home" });
		}
	});

	test.each([
		["semicolons", "name;price\nAda;1,50\nBo;2,75"],
		["tabs", "name\tprice\nAda\t1,50\nBo\t2,75"],
		["bars", "name|price\nAda|1,50\nBo|2,75"],
		["a sign that the first line names", "sep=;\r\nname;price\r\nAda;1,50\r\nBo;2,75"],
	])("CSV with %s becomes the same table", async (_, csv) => {
		const { text } = await convert(csv, { contentType: "text/csv" });
		expect(text).toBe("| name | price |\n| --- | --- |\n| Ada | 1,50 |\n| Bo | 2,75 |");
	});

	test("CSV whose texts have other signs in them keeps its commas", () => {
		expect(csvToMarkdown('a,b\n"x; y; z",1\n"p; q",2', ",")).toContain("| x; y; z | 1 |");
	});

	test("far too much text is cut, and the result says so", async () => {
		const { text, cut } = await convert("x".repeat(2_000_010), { contentType: "text/plain" });
		expect([text.length, cut]).toEqual([2_000_000, true]);
	});
});

describe("the charset", () => {
	const umlauts = "Größe";
	const latin = Buffer.from(umlauts, "latin1");
	test.each([
		["the header's", latin, "text/plain; charset=ISO-8859-1", umlauts],
		["the header's, in quotes", latin, 'text/plain; charset="windows-1252"', umlauts],
		["the mark's, over the header's", Buffer.from(`\ufeff${umlauts}`), "text/plain; charset=latin1", umlauts],
		["UTF-16 by its mark", Buffer.from(`\ufeff${umlauts}`, "utf16le"), "text/plain", umlauts],
		["UTF-8 where nothing is said", Buffer.from(umlauts), "text/plain", umlauts],
		["the old web's where it is no UTF-8", latin, "text/plain", umlauts],
		["none that anybody knows: found out", Buffer.from(umlauts), "text/plain; charset=x-klingon", umlauts],
		["declared UTF-8 that is none: marks, no crash", latin, "text/plain; charset=utf-8", "Gr\ufffd\ufffde"],
		["Shift_JIS", Buffer.from("93fa967b", "hex"), "text/plain; charset=shift_jis", "日本"],
		[
			"XML's own",
			Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><a>${umlauts}</a>`, "latin1"),
			"text/xml",
			`<?xml version="1.0" encoding="ISO-8859-1"?><a>${umlauts}</a>`,
		],
	])("is %s", async (_, bytes, contentType, expected) => {
		expect((await convert(bytes, { contentType })).text).toBe(expected);
	});

	test("is the page's own", async () => {
		const page = Buffer.from(
			`<html><head><meta charset=iso-8859-1></head><body><p>${umlauts}</p></body></html>`,
			"latin1",
		);
		expect((await convert(page, { contentType: "text/html" })).text).toContain(umlauts);
	});

	test("is found where the page names it late", async () => {
		const page = Buffer.from(
			`<html><!--${" ".repeat(5_000)}--><meta charset=iso-8859-1><p>${umlauts}</p></html>`,
			"latin1",
		);
		expect((await convert(page, { contentType: "text/html" })).text).toBe(umlauts);
	});

	// Nothing in these names the charset. Python made the bytes.
	test.each([
		[
			"Shift_JIS",
			"k/qWe4zqgsyDZYNMg1iDZ4LFgreBQpS1gs2CooLCguCJxoLJi0GC6ILcgreBQpG+l3qCxpP1gqKCxZO5gvCMqYLCgq+C3IK3gUI=",
			"日本語のテキスト",
		],
		["EUC-KR", "uvG10bHitMIgx9e78yDB/cC4t84gtbm+xr/CtNkuILHXtenAuiDFwr7nsPogs7+79bfOILHmwLsgw6O0wrTZLg==", "비둘기는"],
		[
			"windows-1251",
			"w+7r8+HoIOLx5ePk4CDi7ufi8OD54P7y8f8g5O7s7ukuIM7t6CDt4PXu5P/yIOTu8O7j8yDv7iDx7uvt9vMg6CDn4O/g9fMu",
			"Голуби",
		],
		["GB18030", "uOvX09fcu+G72LzSoaPL/MPHv7/Mq9H0us3G+M621dK1vbvYvNK1xMK3oaPV4srH0O224Mq10enWpMP3tcShow==", "总会回家"],
	])("%s is detected where nothing is said", (_, bytes, words) => {
		const text = decodeDetected(Buffer.from(bytes, "base64"));
		expect(text).toContain(words);
	});

	test.each(["utf-16le", "utf-16be"] as const)("is %s without its mark", async (encoding) => {
		const little = Buffer.from(`<p>${umlauts} and more</p>`, "utf16le");
		const bytes = encoding === "utf-16le" ? little : little.swap16();
		expect((await convert(bytes, { contentType: "text/plain" })).text).toBe(`<p>${umlauts} and more</p>`);
	});
});
