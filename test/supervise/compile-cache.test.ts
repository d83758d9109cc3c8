import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { withCompileCache } from "../../src/supervise/compile-cache.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch({ inMemory: true });

test.each<Record<string, string>>([{ PATH: "/bin" }, { PATH: "/bin", NODE_COMPILE_CACHE: "" }])(
	"with the environment %j, what Node compiles goes to a folder that only the user may enter",
	(env) => {
		const places = placesIn(join(scratch.folder(), "not", "there", "yet"));
		const before = { ...env };
		expect(withCompileCache(env, places)).toEqual({ PATH: "/bin", NODE_COMPILE_CACHE: places.compiled });
		expect(statSync(places.compiled).mode & 0o777).toBe(0o700);
		expect(env).toEqual(before);
	},
);

test("the next pi uses the same folder", () => {
	const places = placesIn(scratch.folder());
	expect(withCompileCache({}, places)).toEqual(withCompileCache({}, places));
});

test("a place that the user names is kept, and no folder is made", () => {
	const places = placesIn(scratch.folder());
	const env = { PATH: "/bin", NODE_COMPILE_CACHE: "/home/ada/compiled" };
	expect(withCompileCache(env, places)).toEqual(env);
	expect(existsSync(places.compiled)).toBe(false);
});
