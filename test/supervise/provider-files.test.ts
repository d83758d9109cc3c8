import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { filesOfProvider } from "../../src/supervise/provider-files.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** In the place of pi: an extension file of this test is the list of its providers. Counts how often it is asked. */
const PROGRAM = `
import { appendFileSync, readFileSync, writeSync } from "node:fs";
appendFileSync(process.env.ASKED, "x");
const encoded = process.argv.at(-1).split(" ")[1];
for (const file of JSON.parse(Buffer.from(encoded, "base64url"))) {
	const text = readFileSync(file, "utf8");
	writeSync(3, JSON.stringify(text === "broken" ? { file, error: "no" } : { file, providers: text.split(" ") }) + "\\n");
}
`;

function extensions() {
	const folder = scratch.folder();
	const program = join(folder, "pi.mjs");
	const asked = join(folder, "asked");
	writeFileSync(program, PROGRAM);
	const profile = {
		digest: "p",
		command: [process.execPath, program],
		env: { ASKED: asked },
		agentDir: folder,
		hostEntry: "host.js",
	};
	return {
		file(name: string, providers: string): string {
			const file = join(folder, name);
			writeFileSync(file, providers);
			return file;
		},
		find: (provider: string, candidates: string[]) =>
			filesOfProvider({ provider, candidates, profile, places: placesIn(folder) }),
		timesAsked: () => (existsSync(asked) ? readFileSync(asked, "utf8").length : 0),
	};
}

test("every extension that registers a provider is found, also one that came after another was found", async () => {
	const { file, find, timesAsked } = extensions();
	const [one, other] = [file("one.ts", "acme"), file("other.ts", "elsewhere")];
	expect(await find("acme", [one, other])).toEqual({ kind: "found", files: [one] });
	const added = file("added.ts", "acme more");
	expect(await find("acme", [one, other, added])).toEqual({ kind: "found", files: [one, added] });
	file("other.ts", "acme");
	expect(await find("acme", [one, other, added])).toEqual({ kind: "found", files: [one, other, added] });
	expect(timesAsked()).toBe(3);
});

test("no process is started for what is known, nor for one that does not load", async () => {
	const { file, find, timesAsked } = extensions();
	const candidates = [file("one.ts", "acme"), file("broken.ts", "broken")];
	for (const _ of [1, 2, 3]) {
		expect(await find("acme", candidates)).toEqual({ kind: "found", files: candidates.slice(0, 1) });
	}
	expect(timesAsked()).toBe(1);
});
