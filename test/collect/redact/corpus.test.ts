import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { lookAlikes } from "./look-alikes.ts";
import { secretShapes } from "./secret-shapes.ts";

const { redact } = createRedactor({ secrets: [], homeDir: "/home/al" });

/** A secret leaks if twelve characters of it in a row are left. */
function leaks(output: string, secret: string): boolean {
	const window = Math.min(12, secret.length);
	return Array.from({ length: secret.length - window + 1 }, (_, at) => secret.slice(at, at + window)).some((part) =>
		output.includes(part),
	);
}

describe("a corpus of made-up secrets and of their look-alikes", () => {
	it("masks every secret shape and keeps what stands around it", () => {
		const shapes = secretShapes();
		const missed = shapes.filter(({ text, secret }) => leaks(redact(text), secret));
		const eaten = shapes.filter(({ text, keep = "" }) => !redact(text).includes(keep));
		console.log(`redaction: ${shapes.length - missed.length} of ${shapes.length} secret shapes caught`);
		expect(shapes.length).toBeGreaterThanOrEqual(60);
		expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
		expect(missed.map(({ name }) => name)).toEqual([]);
		expect(eaten.map(({ name }) => name)).toEqual([]);
	});

	it("does so for other characters, too", () => {
		for (let seed = 2; seed <= 12; seed += 1) {
			const missed = secretShapes(seed).filter(({ text, secret }) => leaks(redact(text), secret));
			expect(missed.map(({ name, text }) => `${seed} ${name}: ${text}`)).toEqual([]);
		}
	});

	it("leaves every look-alike as it is", () => {
		const texts = lookAlikes();
		const masked = texts.filter(({ text }) => redact(text) !== text);
		console.log(`redaction: ${masked.length} of ${texts.length} look-alikes falsely masked`);
		expect(texts.length).toBeGreaterThanOrEqual(60);
		expect(masked.map(({ name, text }) => `${name}: ${redact(text)}`)).toEqual([]);
	});

	it("changes nothing the second time", () => {
		for (const { text } of [...secretShapes(), ...lookAlikes()]) {
			const once = redact(text);
			expect(redact(once)).toBe(once);
		}
	});

	it("says what was there", () => {
		const token = `ghp_${"aB3".repeat(12)}`;
		expect(redact(`token ${token}.`)).toBe("token [redacted:github-token].");
		expect(redact(`Authorization: Bearer ${"x7Q".repeat(10)}`)).toBe("Authorization: Bearer [redacted:authorization]");
		expect(redact(`DB_PASSWORD=${"hunter"}2`)).toBe("DB_PASSWORD=[redacted:password]");
	});
});
