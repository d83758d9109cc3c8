import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import fc from "../../helpers/fast-check.ts";
import { ALNUM, seeded } from "./seeded.ts";

const homeDir = "/home/al";
const redactorOf = (...secrets: string[]) => createRedactor({ secrets, homeDir });
/** Any characters, the odd halves of surrogate pairs included, but eight of them at least that are not blank. */
const secret = fc
	.oneof(fc.string({ minLength: 8, maxLength: 40, unit: "grapheme" }), fc.string({ minLength: 8, unit: "binary" }))
	.filter((text) => text.trim().length >= 8 && !"[redacted]".includes(text.trim()));

describe("known secrets", () => {
	it("are never in the output, whatever their shape and the text around them", () => {
		fc.assert(
			fc.property(
				fc.array(secret, { minLength: 1, maxLength: 5 }),
				fc.array(fc.string(), { maxLength: 6 }),
				(secrets, rest) => {
					const text = secrets.map((value, at) => `${rest[at] ?? ""}${value}`).join(rest[5] ?? "");
					const output = redactorOf(...secrets).redact(text);
					for (const value of secrets) expect(output).not.toContain(value);
				},
			),
		);
	});

	it("are never in the output if they overlap", () => {
		const narrow = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 12 });
		fc.assert(
			fc.property(narrow, narrow, fc.nat(8), (first, second, overlap) => {
				const text = `${first}${second.slice(overlap)}${first}${second}`;
				const output = redactorOf(first, second).redact(text);
				expect(output).not.toContain(first);
				expect(output).not.toContain(second);
			}),
		);
	});

	it("are masked in the forms that programs print", () => {
		const value = `pä"ss/w+ö rd\\${"q"}1`;
		const { redact } = redactorOf(value);
		const forms = [
			JSON.stringify(value),
			JSON.stringify(JSON.stringify(value)),
			encodeURIComponent(value),
			new URLSearchParams({ value }).toString(),
			Buffer.from(value).toString("base64"),
			Buffer.from(`user:${value}`).toString("base64"),
			Buffer.from(`ab${value}cd`).toString("base64url"),
		];
		for (const form of forms) expect(redact(`<${form}>`)).toContain("[redacted");
	});

	it("are masked as the longest of them", () => {
		const long = `${"k9".repeat(6)}-${"z3".repeat(6)}`;
		expect(redactorOf("k9".repeat(6), long).redact(`<${long}>`)).toBe("<[redacted]>");
	});

	it("do not count when they are too short to be told from words", () => {
		expect(redactorOf("ollama", "", "   ").redact("ollama runs")).toBe("ollama runs");
	});

	it("may be hundreds: the time does not grow with their number", () => {
		const random = seeded(5);
		const secrets = Array.from({ length: 500 }, () => random.pick(ALNUM, 24));
		const text = random.pick(`${ALNUM}     \n`, 200_000) + secrets[499];
		const few = fastest(() => redactorOf(...secrets.slice(0, 2)), text);
		const many = fastest(() => redactorOf(...secrets), text);
		expect(many).toBeLessThan(few * 5 + 5);
	});
});

function fastest(create: () => ReturnType<typeof redactorOf>, text: string): number {
	const redactor = create();
	const times = Array.from({ length: 5 }, () => {
		const before = process.threadCpuUsage();
		redactor.redact(text);
		return process.threadCpuUsage(before).user / 1000;
	});
	return Math.min(...times);
}
