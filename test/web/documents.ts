import { constants, deflateRawSync } from "node:zlib";

/** A zip archive of these files; `lie` tells other sizes than the true ones. */
export function makeZip(files: Readonly<Record<string, string | Buffer>>, { lie = false } = {}): Buffer {
	const locals: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [name, content] of Object.entries(files)) {
		const packed = deflateRawSync(content);
		const size = lie ? 10 : Buffer.byteLength(content);
		const common = Buffer.alloc(26);
		common.writeUInt16LE(20, 0);
		common.writeUInt16LE(8, 4);
		common.writeUInt32LE(packed.length, 14);
		common.writeUInt32LE(size, 18);
		common.writeUInt16LE(Buffer.byteLength(name), 22);
		const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(offset, 10);
		directory.push(Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), common, place, Buffer.from(name));
		locals.push(local);
		offset += local.length;
	}
	const entries = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.write("PK\x05\x06", "latin1");
	const count = Object.keys(files).length;
	end.writeUInt16LE(count, 8);
	end.writeUInt16LE(count, 10);
	end.writeUInt32LE(entries.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...locals, entries, end]);
}

const paragraph = (text: string, properties = "") =>
	`<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
const item = (text: string, level: number) =>
	paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);

const WORD_BODY = [
	paragraph("Flight report", '<w:pStyle w:val="Title"/>'),
	paragraph("Tom &amp; Jerry&#8217;s pigeons", '<w:pStyle w:val="Heading2"/>'),
	`<w:p><w:r><w:t xml:space="preserve">They </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>always</w:t></w:r><w:r><w:tab/><w:t>come home.</w:t></w:r><w:r><w:instrText>HIDDEN CODE</w:instrText></w:r></w:p>`,
	`<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="rId1"><w:r><w:t>the site</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>`,
	item("grey", 0) + item("light", 1) + item("white", 0),
	`<w:tbl><w:tr>${cell("Name")}${cell("Speed")}</w:tr><w:tr>${cell("Ada|B")}${cell("90")}</w:tr></w:tbl>`,
	paragraph("The end."),
].join("");

export const makeDocx = (body = WORD_BODY): Buffer =>
	makeZip({
		"[Content_Types].xml": "<Types/>",
		"word/_rels/document.xml.rels":
			'<Relationships><Relationship Id="rId1" Type="x" Target="https://pigeons.example/?a=1&amp;b=2" TargetMode="External"/></Relationships>',
		"word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`,
	});

/** So many spaces, deflated: blocks that end with a full flush can be repeated without packing each. */
export function packedSpaces(size: number): Buffer {
	const block = deflateRawSync(Buffer.alloc(10_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH });
	const blocks = Array.from({ length: size / 10_000_000 }, () => block);
	return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, Buffer.from([3, 0])]);
}

/** A PDF of one text a page, or of a page's packed content, with a correct table of its parts. */
export function makePdf(pages: readonly (string | Buffer)[], title = "Pigeon paper"): Buffer {
	const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
	const streamOf = (page: string | Buffer) => {
		const content = typeof page === "string" ? Buffer.from(`BT /F1 12 Tf 72 720 Td (${page}) Tj ET`) : page;
		const filter = typeof page === "string" ? "" : "/Filter /FlateDecode ";
		const begin = Buffer.from(`<< ${filter}/Length ${content.length} >>\nstream\n`);
		return Buffer.concat([begin, content, Buffer.from("\nendstream")]);
	};
	const objects = [
		"<< /Type /Catalog /Pages 2 0 R >>",
		`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		...pages.flatMap((page, index) => [
			`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
			streamOf(page),
		]),
		`<< /Title (${title}) >>`,
	].map((object, index) =>
		Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]),
	);
	const header = Buffer.from("%PDF-1.4\n");
	let end = header.length;
	const table = objects.map((object) => {
		const line = `${String(end).padStart(10, "0")} 00000 n \n`;
		end += object.length;
		return line;
	});
	const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>`;
	const rest = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table.join("")}trailer\n${trailer}\nstartxref\n${end}\n%%EOF\n`;
	return Buffer.concat([header, ...objects, Buffer.from(rest)]);
}

export const ARTICLE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Homing &amp; more</title>
<style>.x{}</style><script>document.write("SCRIPT")</script></head><body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<main><article><h1>How pigeons find home</h1>
<p>Pigeons find their way by the sun, by smells and by the magnetic field of the earth, as many experiments have shown.
They remember landmarks too, and follow roads and rivers when they fly over land that they know well.</p>
<h2>Code</h2><pre><code class="language-ts">const home: string = "loft";</code></pre>
<table><thead><tr><th>Breed</th><th>Speed</th></tr></thead><tbody><tr><td>Racer</td><td>90 km/h</td></tr></tbody></table>
<p>See the <a href="/flights?x=1">list of flights</a> for more about what was measured in the years before.</p>
</article></main><footer>Imprint and cookies</footer></body></html>`;
