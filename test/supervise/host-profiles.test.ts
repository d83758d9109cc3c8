import { expect, test } from "vitest";
import { HostProfiles, type RingedPlan } from "../../src/supervise/host-profiles.ts";
import type { HostProfile } from "../../src/supervise/profile.ts";

const free: HostProfile = { digest: "free", command: [], env: {}, agentDir: "/a", hostEntry: "" };
const auto = { mode: "auto", write: "none" } as const;

test.each<[string, RingedPlan, boolean]>([
	["reads", { sandbox: auto }, true],
	["writes in a tree of its own", { sandbox: { ...auto, write: "worktree" } }, true],
	["writes in the checkout", { sandbox: { ...auto, write: "checkout" } }, false],
	["must have a ring", { sandbox: { ...auto, mode: "require" } }, true],
	["has none by its configuration", { sandbox: { ...auto, mode: "off" } }, false],
	["was planned before there were rings", {}, false],
	["runs a program of the user's at its end", { sandbox: auto, stopHook: {} }, false],
])("the host of a run that %s", (_name, plan, isRinged) => {
	const profiles = new HostProfiles(free, () => []);
	expect(profiles.for(plan)).toBe(isRinged ? profiles.ringed : free);
	expect(profiles.for(plan).ring !== undefined).toBe(isRinged);
});

test("another principal is another profile, since the host could not write in its folder", () => {
	let principals = ["/one"];
	const profiles = new HostProfiles(free, () => principals);
	const first = profiles.ringed;
	expect(profiles.named(first.digest)).toBe(first);
	principals = ["/one", "/two"];
	expect(profiles.ringed.ring).toEqual({ principals });
	expect(profiles.named(first.digest)).toBeUndefined();
	principals = ["/one"];
	expect(profiles.ringed.digest).toBe(first.digest);
});
