import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { lookAlikes } from "./look-alikes.ts";
import { secretShapes } from "./secret-shapes.ts";
import { ALNUM, LOWER, seeded } from "./seeded.ts";

const random = seeded(3);
const SIZE = 1_000_000;
const { redact } = createRedactor({
	secrets: Array.from({ length: 100 }, () => random.pick(ALNUM, 24)),
	homeDir: "/home/al",
});

const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);

/** Of its own processor time: that of others says nothing about it. */
function milliseconds(run: () => unknown): number {
	const before = process.threadCpuUsage();
	run();
	return process.threadCpuUsage(before).user / 1000;
}

const shortest = (text: string): number =>
	Math.min(...Array.from({ length: 3 }, () => milliseconds(() => redact(text))));

/** The beginnings of every pattern, and what stands in the middle of one, again and again. */
function adversaries(): Set<string> {
	const parts = [
		"a",
		"-",
		"_",
		".",
		"=",
		'"',
		"\\",
		"\n",
		" ",
		"eyJ",
		"-eyJa",
		"eyJaaaaaaaaaaaaa.",
		"password",
		"password=",
	];
	parts.push("password: ", '"password":"', "key=", "-----BEGIN PRIVATE KEY-----", "://", "://a:", "://a:b@", "Bearer ");
	parts.push(
		"Authorization: ",
		"cookie: a=",
		"curl -u a",
		"\u001b[0;",
		"%3D",
		"\\n",
		"    at x\n",
		'  File "x", line 1\n',
	);
	parts.push(
		"/home/al",
		"-I/home/al",
		"Private-Lines: 1\n",
		"1Q~",
		"1:AA",
		".atlasv1.",
		"0-us1",
		"[redacted",
		"<password>",
	);
	for (const { text, secret } of secretShapes()) {
		parts.push(text.startsWith("The value is ") ? `-${secret.slice(0, 10)}` : text.slice(0, 17));
	}
	return new Set(parts);
}

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

	// Linear means: ten times the text takes about ten times as long. A quadratic pattern takes a hundred times. Measured
	// where the text is slow at all, in comparison with one look at each of its characters.
	it("has no text that makes a pattern quadratic", () => {
		let slowest = { ratio: 0, time: 0, part: "" };
		for (const part of adversaries()) {
			const text = filled(part, SIZE);
			const plain = milliseconds(() => characterSum(text));
			const time = milliseconds(() => redact(text));
			if (time > slowest.time) slowest = { ratio: time / plain, time, part };
			if (time / plain < 50) continue;
			const smallTime = shortest(text.slice(0, SIZE / 10));
			const isQuick = (ms: number) => ms < smallTime * 40 + 300;
			// What the machine did beside it may be to blame, once; a pattern is every time.
			expect(isQuick(time) || isQuick(shortest(text)), JSON.stringify(part)).toBe(true);
		}
		const { ratio, time, part } = slowest;
		const figures = `${(SIZE / 1_000 / time).toFixed(1)} MB/s, ${ratio.toFixed(0)} times a plain pass`;
		console.log(`redaction: ${figures}, on the worst text: ${JSON.stringify(part.slice(0, 40))} repeated`);
		expect(time).toBeLessThan(20_000);
	}, 300_000);
});

function characterSum(text: string): number {
	let sum = 0;
	for (let at = 0; at < text.length; at += 1) sum = (sum + text.charCodeAt(at)) | 0;
	return sum;
}
