import { describe, expect, it } from "vitest";
import { SignFinder } from "../../../src/collect/redact/signs.ts";
import fc from "../../helpers/fast-check.ts";

describe("signs in a text", () => {
	it("are found wherever they are", () => {
		const signs = new SignFinder(["PASS ", "ab", "-u ", "##vso["]);
		expect([...signs.in("PASS x")]).toEqual([1, 0, 0, 0]);
		expect([...signs.in("x -u ab")]).toEqual([0, 1, 1, 0]);
		expect([...signs.in("é##vso[é")]).toEqual([0, 0, 0, 1]);
		expect([...signs.in("PASS##vso")]).toEqual([0, 0, 0, 0]);
	});

	it("are the same that a search for each of them finds", () => {
		const part = fc.string({ unit: fc.constantFrom("a", "b", " ", "(", "é"), minLength: 2, maxLength: 5 });
		const ascii = part.filter((sign) => !sign.includes("é"));
		fc.assert(
			fc.property(fc.array(ascii, { minLength: 1, maxLength: 6 }), fc.array(part), (signs, parts) => {
				const text = parts.join("");
				expect([...new SignFinder(signs).in(text)]).toEqual(signs.map((sign) => Number(text.includes(sign))));
			}),
		);
	});
});
