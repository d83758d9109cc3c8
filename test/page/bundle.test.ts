import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PAGE_BINDINGS } from "../../src/page/browser/keys.ts";
import { BINDINGS } from "../../src/pi/inspector/keys.ts";
import { stagedPackage } from "../helpers/repository.ts";

const MOST_BYTES = 200_000;

describe("the files of the live page", () => {
	const folder = join(stagedPackage(), "dist", "page");
	const files = readdirSync(folder).filter((name) => !name.endsWith(".LEGAL.txt"));

	test("are three, and at most 200 kB together", () => {
		expect(files.sort()).toEqual(["index.html", "page.css", "page.js"]);
		const sizes = files.map((name) => readFileSync(join(folder, name)).length);
		expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
	});

	test("make no markup out of text", () => {
		const script = readFileSync(join(folder, "page.js"), "utf8");
		expect(script).not.toMatch(
			/insertAdjacentHTML|outerHTML|document\.write|createContextualFragment|new Function|\beval\(/,
		);
		// What preact does for a property that the page never sets.
		expect(script.match(/\.innerHTML/g)?.length ?? 0).toBeLessThanOrEqual(3);
		expect(readFileSync(join(folder, "index.html"), "utf8")).not.toMatch(/<script>|style=|<style|\son\w+=/);
	});
});

describe("the keys of the live page", () => {
	test("do what they do in the inspector", () => {
		const inPage = new Map<string, string>(PAGE_BINDINGS.map(({ action, keys }) => [action, keys.join(" ")]));
		const lettersOf = (keys: readonly string[]) => keys.filter((key) => key.length === 1);
		const shared = BINDINGS.filter(({ action }) => inPage.has(action));
		expect(shared.length).toBeGreaterThanOrEqual(14);
		for (const { action, keys } of shared) {
			for (const letter of lettersOf(keys)) expect(inPage.get(action)?.split(" "), action).toContain(letter);
		}
	});

	test("are each bound once", () => {
		const keys = PAGE_BINDINGS.flatMap((binding) => binding.keys);
		expect(new Set(keys).size).toBe(keys.length);
	});
});
