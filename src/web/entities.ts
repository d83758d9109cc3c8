const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The entities of XML, numbers, and the one that is common in search results. */
export function decodeEntities(text: string): string {
	return text.replace(
		/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
		(whole, decimal, hex, name) => {
			if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
			const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
			return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
		},
	);
}
