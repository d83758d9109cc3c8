import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { bareTokens } from "./bare-tokens.ts";
import { inContext } from "./in-context.ts";
import { keyBlocks } from "./key-blocks.ts";
import { lookAlikes } from "./look-alikes.ts";
import { leaks, type Sample } from "./sample.ts";

const { redact } = createRedactor({ secrets: [], homeDir: "/home/al" });

const GROUPS: [name: string, samples: () => Sample[]][] = [
	["secrets in context", inContext],
	["key blocks", keyBlocks],
	["bare tokens", bareTokens],
];

describe("a corpus of secrets that is kept apart from the patterns", () => {
	it.each(GROUPS)("reports how many of the %s are caught", (name, samples) => {
		const all = samples();
		const missed = all.filter(({ text, secret }) => leaks(redact(text), secret));
		const eaten = all.filter(({ text, keep = "" }) => !redact(text).includes(keep));
		console.log(`redaction: ${all.length - missed.length} of ${all.length} ${name} caught`);
		if (process.env.SHOW_MISSED) console.log(missed.map((sample) => `${sample.name}: ${sample.text}`).join("\n"));
		if (process.env.SHOW_MISSED)
			console.log(eaten.map((sample) => `eaten ${sample.name}: ${redact(sample.text)}`).join("\n"));
		expect(new Set(all.map((sample) => sample.name)).size).toBe(all.length);
		expect(all.filter(({ text, secret }) => !leaks(text, secret)).map((sample) => sample.name)).toEqual([]);
	});

	it("reports how many look-alikes are changed", () => {
		const all = lookAlikes();
		const changed = all.filter(({ text }) => redact(text) !== text);
		console.log(`redaction: ${changed.length} of ${all.length} look-alikes changed`);
		if (process.env.SHOW_MISSED) console.log(changed.map(({ text }) => `${text}\n   -> ${redact(text)}`).join("\n"));
		expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
	});
});
