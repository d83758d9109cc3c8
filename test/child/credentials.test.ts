import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credential } from "@earendil-works/pi-ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layered, storeOf } from "../../src/child/credentials.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "pi-geon-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const token = (access: string): Credential => ({ type: "oauth", access, refresh: "again", expires: 1 });
const apiKey = (key: string): Credential => ({ type: "api_key", key });

test("a token that is renewed, or removed, is written to the file it came from and to no other", async () => {
	const files = { own: join(folder, "own.json"), main: join(folder, "main.json") };
	writeFileSync(files.own, JSON.stringify({ both: token("own"), ours: token("ours") }));
	writeFileSync(files.main, JSON.stringify({ both: token("main"), mains: token("mains") }));
	const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as object;
	const store = layered(await storeOf(files.own), await storeOf(files.main));

	expect(await store.read("both")).toEqual(token("own"));
	expect(await store.read("mains")).toEqual(token("mains"));
	expect(await store.read("nobody's")).toBeUndefined();
	expect((await store.list()).map(({ providerId }) => providerId).sort()).toEqual(["both", "mains", "ours"]);

	const seen: (Credential | undefined)[] = [];
	for (const provider of ["both", "mains"]) {
		await store.modify(provider, async (current) => {
			seen.push(current);
			return token(`new ${provider}`);
		});
	}
	expect(seen).toEqual([token("own"), token("mains")]);
	expect(read(files.own)).toEqual({ both: token("new both"), ours: token("ours") });
	expect(read(files.main)).toEqual({ both: token("main"), mains: token("new mains") });

	await store.delete("both");
	expect(read(files.own)).toEqual({ ours: token("ours") });
	expect(await store.read("both")).toEqual(token("main"));
});

test("a key that names a variable which is not set is not replaced by main's", async () => {
	const files = { own: join(folder, "own.json"), main: join(folder, "main.json") };
	writeFileSync(files.own, JSON.stringify({ one: apiKey("$PI_GEON_NOT_SET") }));
	writeFileSync(files.main, JSON.stringify({ one: apiKey("mains") }));
	const store = layered(await storeOf(files.own), await storeOf(files.main));
	expect(await store.read("one")).not.toMatchObject({ key: "mains" });
});

test.each(["{ broken", "[", '"a string'])(
	"a file that says %s is refused, not taken for an empty one",
	async (text) => {
		const file = join(folder, "auth.json");
		writeFileSync(file, text);
		await expect(storeOf(file)).rejects.toThrow(`The credentials in ${file} cannot be read.`);
	},
);

test.each(["", "{}", " {\n} "])("a file that says %j holds nothing", async (text) => {
	const file = join(folder, "auth.json");
	writeFileSync(file, text);
	expect(await (await storeOf(file)).list()).toEqual([]);
});
