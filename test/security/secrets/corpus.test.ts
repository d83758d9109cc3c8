import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { bareTokens } from "./bare-tokens.ts";
import { eighthBareTokens, eighthInContext, eighthLookAlikes } from "./eighth.ts";
import { fifthBareTokens } from "./fifth-bare-tokens.ts";
import { fifthInFiles } from "./fifth-in-files.ts";
import { fifthInUse } from "./fifth-in-use.ts";
import { fifthKeyBlocks } from "./fifth-key-blocks.ts";
import { fifthLookAlikes } from "./fifth-look-alikes.ts";
import { inContext } from "./in-context.ts";
import { keyBlocks } from "./key-blocks.ts";
import { lastBareTokens, lastInContext, lastKeyBlocks, lastLookAlikes } from "./last.ts";
import { laterBareTokens, laterInContext, laterKeyBlocks, laterLookAlikes } from "./later.ts";
import { lookAlikes } from "./look-alikes.ts";
import { leaks, type Sample } from "./sample.ts";
import { seventhInFiles } from "./seventh-in-files.ts";
import { seventhInUse } from "./seventh-in-use.ts";
import { seventhLookAlikes } from "./seventh-look-alikes.ts";
import { seventhBareTokens, seventhKeyBlocks } from "./seventh-others.ts";
import { sixthInContext } from "./sixth-in-context.ts";
import { sixthBareTokens, sixthKeyBlocks, sixthLookAlikes } from "./sixth-others.ts";
import { thirdBareTokens } from "./third-bare-tokens.ts";
import { thirdCommandsAndCode } from "./third-commands-and-code.ts";
import { thirdConfigFiles } from "./third-config-files.ts";
import { thirdKeyBlocks } from "./third-key-blocks.ts";
import { thirdLookAlikes } from "./third-look-alikes.ts";

const { redact } = createRedactor({ secrets: [], homeDir: "/home/al" });

const GROUPS: [name: string, samples: (seed?: number) => Sample[], least: number][] = [
	["secrets in context", inContext, 0.97],
	["secrets in context, written later", laterInContext, 0.97],
	["key blocks", keyBlocks, 0.97],
	["key blocks, written later", laterKeyBlocks, 0.97],
	["bare tokens", bareTokens, 0.92],
	["bare tokens, written later", laterBareTokens, 0.92],
	["secrets in files of tools", thirdConfigFiles, 0.97],
	["secrets in commands, code and prose", thirdCommandsAndCode, 0.97],
	["key blocks of tools", thirdKeyBlocks, 0.95],
	["bare tokens of further services", thirdBareTokens, 0.92],
	["secrets in context, written last", lastInContext, 0.95],
	["key blocks, written last", lastKeyBlocks, 1],
	["bare tokens, written last", lastBareTokens, 0.85],
	["secrets in files, fifth part", fifthInFiles, 0.92],
	["secrets in use, fifth part", fifthInUse, 0.95],
	["key blocks, fifth part", fifthKeyBlocks, 0.95],
	["bare tokens, fifth part", fifthBareTokens, 0.95],
	["secrets in context, sixth part", sixthInContext, 0.94],
	["key blocks, sixth part", sixthKeyBlocks, 0.96],
	["bare tokens, sixth part", sixthBareTokens, 0.88],
	["secrets in files, seventh part", seventhInFiles, 0.97],
	["secrets in use, seventh part", seventhInUse, 0.98],
	["key blocks, seventh part", seventhKeyBlocks, 1],
	["bare tokens, seventh part", seventhBareTokens, 0.97],
	["secrets in context, eighth part", eighthInContext, 0.96],
	["bare tokens, eighth part", eighthBareTokens, 0.95],
];

/** What is caught, and what else of the text was lost with it. */
function held(samples: Sample[]): { missed: string[]; eaten: string[] } {
	const missed = samples.filter(({ text, secret }) => leaks(redact(text), secret));
	const eaten = samples.filter(({ text, keep = "" }) => !redact(text).includes(keep));
	return { missed: missed.map(({ name }) => name), eaten: eaten.map(({ name }) => name) };
}

describe("a corpus of secrets that is kept apart from the patterns", () => {
	it.each(GROUPS)("is masked: %s", (name, samples, least) => {
		const all = samples();
		const { missed, eaten } = held(all);
		console.log(`redaction: ${all.length - missed.length} of ${all.length} ${name} caught`);
		expect(new Set(all.map((sample) => sample.name)).size).toBe(all.length);
		expect(all.filter(({ text, secret }) => !leaks(text, secret)).map((sample) => sample.name)).toEqual([]);
		expect(1 - missed.length / all.length, `missed: ${missed.join(", ")}`).toBeGreaterThanOrEqual(least);
		expect(eaten).toEqual([]);
	});

	it.each(GROUPS)("is masked with other characters, too: %s", (_name, samples, least) => {
		for (let seed = 1; seed <= 5; seed += 1) {
			const all = samples(seed);
			const { missed } = held(all);
			expect(1 - missed.length / all.length, `seed ${seed}: ${missed.join(", ")}`).toBeGreaterThanOrEqual(least);
		}
	});

	it("leaves look-alikes as they are", () => {
		const all = [
			...lookAlikes(),
			...laterLookAlikes(),
			...thirdLookAlikes(),
			...lastLookAlikes(),
			...fifthLookAlikes(),
			...sixthLookAlikes(),
			...seventhLookAlikes(),
			...eighthLookAlikes(),
		];
		const changed = all.filter(({ text }) => redact(text) !== text).map(({ name }) => name);
		console.log(`redaction: ${changed.length} of ${all.length} look-alikes changed`);
		expect(new Set(all.map(({ text }) => text)).size).toBe(all.length);
		expect(changed.length / all.length, `changed: ${changed.join(", ")}`).toBeLessThanOrEqual(0.01);
	});

	it("changes nothing the second time", () => {
		for (const { text } of [...GROUPS.flatMap(([, samples]) => samples()), ...lookAlikes()]) {
			const once = redact(text);
			expect(redact(once)).toBe(once);
		}
	});
});
