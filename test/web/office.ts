import { makeZip } from "./documents.ts";

const relations = (targets: Readonly<Record<string, string>>): string =>
	`<Relationships>${Object.entries(targets)
		.map(([id, target]) => `<Relationship Id="${id}" Type="x" Target="${target}"/>`)
		.join("")}</Relationships>`;

/** A workbook of these sheets, each as the XML of its rows. */
export const makeXlsx = (sheets: Readonly<Record<string, string>>, strings: readonly string[] = []): Buffer => {
	const names = Object.keys(sheets);
	const list = names.map((name, place) => `<sheet name="${name}" sheetId="${place + 1}" r:id="rId${place + 1}"/>`);
	return makeZip({
		"[Content_Types].xml": "<Types/>",
		"xl/workbook.xml": `<workbook><sheets>${list.join("")}</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations(
			Object.fromEntries(names.map((_, place) => [`rId${place + 1}`, `worksheets/sheet${place + 1}.xml`])),
		),
		"xl/sharedStrings.xml": `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
		"xl/styles.xml":
			'<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
		...Object.fromEntries(
			Object.values(sheets).map((rows, place) => [
				`xl/worksheets/sheet${place + 1}.xml`,
				`<worksheet><sheetData>${rows}</sheetData></worksheet>`,
			]),
		),
	});
};

const said = (text: string, level = 0) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`;

export const makePptx = (): Buffer =>
	makeZip({
		"ppt/presentation.xml":
			'<p:presentation><p:sldIdLst><p:sldId r:id="rId7"/><p:sldId r:id="rId2"/></p:sldIdLst></p:presentation>',
		"ppt/_rels/presentation.xml.rels": relations({ rId2: "slides/slide1.xml", rId7: "slides/slide2.xml" }),
		"ppt/slides/slide2.xml": `<p:sld><p:sp><p:nvPr><p:ph type="ctrTitle"/></p:nvPr>${said("Homing")}</p:sp><p:sp>${said("by the sun")}${said("and by smell", 1)}</p:sp></p:sld>`,
		"ppt/slides/slide1.xml": `<p:sld><a:tbl><a:tr><a:tc>${said("Breed")}</a:tc><a:tc>${said("Speed")}</a:tc></a:tr><a:tr><a:tc>${said("Racer")}</a:tc><a:tc>${said("90")}</a:tc></a:tr></a:tbl></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels": relations({ rId1: "../notesSlides/notesSlide1.xml" }),
		"ppt/notesSlides/notesSlide1.xml": `<p:notes>${said("Speak slowly.")}${said("2")}</p:notes>`,
	});

const ODT_BODY = `<office:automatic-styles><style:style style:name="P7" style:parent-style-name="Preformatted_20_Text"/></office:automatic-styles><office:body>
<text:h text:outline-level="2">Flights</text:h><text:p>They <text:span>always</text:span><text:s text:c="2"/>come <text:a xlink:href="https://pigeons.example/">home</text:a>.</text:p>
<text:list><text:list-item><text:p>grey</text:p><text:list><text:list-item><text:p>light</text:p></text:list-item></text:list></text:list-item></text:list>
<text:p text:style-name="P7">fly();</text:p><text:p text:style-name="P7"><text:s text:c="2"/>land();</text:p>
<table:table table:name="T"><table:table-row><table:table-cell><text:p>Breed</text:p></table:table-cell><table:table-cell><text:p>Speed</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16382"/></table:table-row></table:table></office:body>`;

export const makeOdt = (body = ODT_BODY): Buffer =>
	makeZip({
		mimetype: "application/vnd.oasis.opendocument.text",
		"META-INF/manifest.xml": '<manifest:manifest manifest:media-type="application/vnd.oasis.opendocument.text"/>',
		"content.xml": `<?xml version="1.0" encoding="UTF-8"?><office:document-content>${body}</office:document-content>`,
	});

/** Its files are stored as they are, as the first of a real one is. */
export const makeEpub = (chapters: Readonly<Record<string, string>>, hrefs = Object.keys(chapters)): Buffer =>
	makeZip({
		"META-INF/container.xml":
			'<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
		"OEBPS/book.opf": `<package><metadata><dc:title>The loft</dc:title></metadata><manifest>${hrefs
			.map((href, place) => `<item id="c${place}" href="${href}" media-type="application/xhtml+xml"/>`)
			.join(
				"",
			)}</manifest><spine>${hrefs.map((_, place) => `<itemref idref="c${place}"/>`).join("")}</spine></package>`,
		...Object.fromEntries(Object.entries(chapters).map(([name, body]) => [`OEBPS/${name}`, chapter(body)])),
		mimetype: "application/epub+zip",
	});

const chapter = (body: string): string =>
	`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`;

/** A tagged PDF: a heading, a table of two rows, and a table of contents of its own. */
export function makeTaggedPdf(): Buffer {
	const cells = ["Breed", "Speed", "Racer", "90"];
	const content = [
		"/H1 << /MCID 0 >> BDC BT /F1 24 Tf 72 720 Td (Flights) Tj ET EMC",
		...cells.map(
			(cell, place) =>
				`/TD << /MCID ${place + 1} >> BDC BT /F1 12 Tf ${72 + (place % 2) * 90} ${680 - Math.floor(place / 2) * 20} Td (${cell}) Tj ET EMC`,
		),
		"/P << /MCID 5 >> BDC BT /F1 12 Tf 72 600 Td (They come home.) Tj ET EMC",
	].join("\n");
	const element = (role: string, parent: number, kids: string) =>
		`<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg 3 0 R /K ${kids} >>`;
	return pdfOf([
		"<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /StructParents 0 /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		`<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /StructTreeRoot /K [7 0 R 8 0 R 15 0 R] /ParentTree << /Nums [0 [7 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R]] >> >>",
		element("H1", 6, "0"),
		element("Table", 6, "[9 0 R 10 0 R]"),
		element("TR", 8, "[11 0 R 12 0 R]"),
		element("TR", 8, "[13 0 R 14 0 R]"),
		element("TH", 9, "1"),
		element("TH", 9, "2"),
		element("TD", 10, "3"),
		element("TD", 10, "4"),
		element("P", 6, "5"),
	]);
}

/** Two pages whose table of contents names a line of the second. */
export function makeOutlinedPdf(): Buffer {
	const page = (lines: readonly string[]) => {
		const content = lines.map((line, place) => `BT /F1 12 Tf 72 ${720 - place * 20} Td (${line}) Tj ET`).join("\n");
		return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
	};
	const leaf = (contents: number) =>
		`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 7 0 R >> >> /Contents ${contents} 0 R >>`;
	return pdfOf([
		"<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R >>",
		"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
		leaf(5),
		leaf(6),
		page(["Contents", "Homing"]),
		page(["1.2 Homing", "They come home."]),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Outlines /First 9 0 R /Last 9 0 R /Count 1 >>",
		"<< /Title (Homing) /Parent 8 0 R /Dest [4 0 R /Fit] >>",
	]);
}

function pdfOf(objects: readonly string[]): Buffer {
	let file = "%PDF-1.7\n";
	const offsets = objects.map((object, index) => {
		const at = file.length;
		file += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return `${String(at).padStart(10, "0")} 00000 n \n`;
	});
	const start = file.length;
	file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
	return Buffer.from(file, "latin1");
}
