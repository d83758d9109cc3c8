import { join } from "node:path";
import { expect, test } from "vitest";
import { findPi, profileFor } from "../../src/cli/find-pi.ts";
import { currentProfile } from "../../src/supervise/current-profile.ts";
import { repositoryRoot } from "../helpers/repository.ts";

test("the command uses the same hosts as the pi that it finds", async () => {
	const pi = await findPi({ PATH: join(repositoryRoot, "node_modules", ".bin") });
	if (!pi) throw new Error("There is no pi in node_modules.");
	expect(profileFor(pi)).toEqual(currentProfile(join(repositoryRoot, "dist", "host.js")));
});
