import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import fc from "../../helpers/fast-check.ts";
import { isShare } from "../../helpers/share.ts";
import {
	adversaries,
	hiddenEverywhere,
	hiddenHereAndThere,
	maskedArguments,
	otherNames,
	otherTokens,
	repeated,
	setApart,
} from "./adversaries.ts";
import { lookAlikes } from "./look-alikes.ts";
import { ALNUM, LOWER, seeded } from "./seeded.ts";
import { slowFormats } from "./slow-formats.ts";

const random = seeded(3);
const SIZE = 1_000_000;
const ADVERSARY = 60_000;
const { redact } = createRedactor({
	secrets: Array.from({ length: 100 }, () => random.pick(ALNUM, 24)),
	homeDir: "/home/al",
});

const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

/** Of its own processor time: that of others says nothing about it. That of a thread is counted in steps too coarse. */
function milliseconds(run: () => unknown): number {
	const before = process.cpuUsage();
	run();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

const shortest = (text: string): number =>
	Math.min(...Array.from({ length: 3 }, () => milliseconds(() => redact(text))));

describe("speed", () => {
	it("reads ordinary text fast", () => {
		const words = Array.from({ length: 5_000 }, (_, at) => random.pick(LOWER, 2 + (at % 8))).join(" ");
		const text = filled(
			`${words}\n${lookAlikes()
				.map((item) => item.text.slice(0, 200))
				.join("\n")}\n`,
			SIZE,
		);
		redact(text);
		const time = Math.min(...Array.from({ length: 5 }, () => milliseconds(() => redact(text))));
		console.log(`redaction: ${(SIZE / 1_000 / time).toFixed(0)} MB/s on ordinary text`);
		expect(time).toBeLessThan(5_000);
	});

	// Under load the processor itself is slower. How much, ordinary words say that are read between the measurements.
	const worst: [string, number, string[]][] = [
		["for the worst text", 8, repeated()],
		["for the worst text of tables and formats", 8, slowFormats()],
		["for the worst text in which nothing repeats", 12, [...otherNames(), ...setApart(), ...otherTokens()]],
		["for the worst one in which arguments are masked again and again", 12, maskedArguments()],
		["for the worst one with hidden characters here and there", 12, hiddenHereAndThere()],
		["for the worst one with hidden characters everywhere", 12, hiddenEverywhere()],
	];
	it.each(isShare ? worst.slice(2) : worst)(
		"needs %s at most %i times as long as for ordinary words",
		(_which, most, texts) => {
			const words = filled("the quick brown fox is here and jumps over it. ", ADVERSARY);
			const slow: { times: number; perMegabyte: number; part: string }[] = [];
			for (const part of texts) {
				const text = filled(part, ADVERSARY);
				let [best, ordinary] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
				for (let again = 0; again < 30 && !(best < ordinary * most * 0.6); again += 1) {
					best = Math.min(
						best,
						milliseconds(() => redact(text)),
					);
					ordinary = Math.min(
						ordinary,
						milliseconds(() => redact(words)),
					);
				}
				slow.push({ times: best / ordinary, perMegabyte: (best * SIZE) / ADVERSARY, part });
			}
			slow.sort((a, b) => b.times - a.times);
			for (const { times, perMegabyte, part } of slow.slice(0, 5)) {
				const figure = `${times.toFixed(1)} times as long as for words, ${perMegabyte.toFixed(0)} ms a megabyte`;
				console.log(
					`redaction: ${figure}, for ${JSON.stringify(part.slice(0, 60))} repeated (of ${slow.length} texts)`,
				);
			}
			expect(slow.filter(({ times }) => times > most)).toEqual([]);
		},
		300_000,
	);

	// Linear means: eight times the text takes about eight times as long. A quadratic pattern takes 64 times.
	it("has no mixture of such texts that makes a pattern quadratic", () => {
		const parts = [...adversaries()];
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }), (mixture) => {
				const part = mixture.join("");
				const isLinear = (): boolean => {
					const longest = shortest(filled(part, 15_000)) * 24 + 30;
					const text = filled(part, 120_000);
					return [1, 2, 3].some(() => milliseconds(() => redact(text)) < longest);
				};
				// What the machine did beside it may be to blame, once or twice; a pattern is every time.
				expect(isLinear() || isLinear() || isLinear(), JSON.stringify(part)).toBe(true);
			}),
			{ numRuns: isShare ? 20 : 80 },
		);
	}, 300_000);
});
