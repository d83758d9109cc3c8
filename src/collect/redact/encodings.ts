/** The forms in which a secret appears in output: as it is, escaped, URL-encoded, and inside base64. */
export function encodings(secret: string): Set<string> {
	const json = JSON.stringify(secret).slice(1, -1);
	return new Set([
		secret,
		json,
		json.replaceAll("/", "\\/"),
		json.replace(/[^\u0020-\u007e]/g, unicodeEscape),
		JSON.stringify(json).slice(1, -1),
		...urlForms(secret),
		...base64Forms(secret),
	]);
}

function unicodeEscape(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function urlForms(secret: string): string[] {
	const component = encodeURIComponent(secret.toWellFormed());
	const form = new URLSearchParams([["", secret]]).toString().slice(1);
	const userinfo = component.replace(/%(?:21|24|26|2B|2C)/g, decodeURIComponent);
	return [component, form, userinfo].flatMap((text) => [
		text,
		text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
	]);
}

/**
 * Base64 of a longer text shows a secret in one of three ways, by its offset modulo 3 bytes. The characters that also hold
 * bits of the neighbours are left out.
 */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.from(secret, "utf8");
	return [0, 1, 2].flatMap((offset) => {
		const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
		const stable = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
		return [stable, stable.replaceAll("+", "-").replaceAll("/", "_")];
	});
}
