import { describe, expect, test } from "vitest";
import { mountsFor, type RingPaths } from "../../src/sandbox/mounts.ts";
import { tryRings } from "../../src/sandbox/probe.ts";
import { type SeatbeltOptions, seatbeltCommand, seatbeltProfile } from "../../src/sandbox/seatbelt.ts";

// It cannot be run here: what it says is all that is tested.
const PATHS: RingPaths = {
	tmp: "/Users/u/.pi/agent/pi-geon/scratch/s/tmp",
	tmpFolders: [],
	socketFolders: [],
	hiddenFolders: ["/Users/u/.ssh", "/Users/u/.pi/agent", "/private/tmp"],
	hiddenFiles: ["/Users/u/.netrc"],
	readable: ["/private/tmp/project", "/Users/u/.pi/agent/bin"],
	writable: ["/Users/u/.pi/agent/trees/t", "/Users/u/.pi/agent/pi-geon/scratch/s/tmp"],
	machineSettings: [],
	ownProcesses: true,
};
const profile = (options: Partial<SeatbeltOptions> & { paths?: Partial<RingPaths> } = {}) => {
	const { paths, ...rest } = options;
	return seatbeltProfile({ mounts: mountsFor({ ...PATHS, ...paths }), network: "off", sockets: false, ...rest });
};

describe("the profile of a ring of macOS", () => {
	test("of a run that writes in its tree, without the network", async () => {
		await expect(profile()).toMatchFileSnapshot("profiles/writes-in-a-tree.sb");
	});

	test("of a run that only reads, with the network", async () => {
		const text = profile({ network: "on", paths: { writable: [PATHS.tmp] } });
		await expect(text).toMatchFileSnapshot("profiles/reads-with-network.sb");
	});

	test("of one that may use unix sockets", () => {
		const lines = (text: string) => text.split("\n");
		const without = lines(profile());
		expect(lines(profile({ sockets: true })).filter((line) => !without.includes(line))).toEqual([
			"(allow network* (local unix-socket) (remote unix-socket))",
		]);
	});

	test("has the rule of a deeper path after that of the one around it, since the last one counts", () => {
		const text = profile();
		const at = (part: string) => text.lastIndexOf(part);
		expect(at('(subpath "/Users/u/.pi/agent")')).toBeLessThan(at('(subpath "/Users/u/.pi/agent/bin")'));
		expect(at('(subpath "/Users/u/.pi/agent")')).toBeLessThan(at('(subpath "/Users/u/.pi/agent/trees/t")'));
		expect(at('(subpath "/private/tmp")')).toBeLessThan(at('(subpath "/private/tmp/project")'));
		expect(at('(deny file-write* (subpath "/"))')).toBeLessThan(at("(allow file-write* (literal"));
	});

	test("quotes what a path may hold", () => {
		const text = profile({ paths: { writable: ['/Users/u/a") (allow file-write* (subpath "/', "/Users/u/b\\"] } });
		expect(text).toContain('(subpath "/Users/u/a\\") (allow file-write* (subpath \\"/")');
		expect(text).toContain('(subpath "/Users/u/b\\\\")');
	});

	test("is an argument of sandbox-exec, which starts in the working directory", () => {
		const options = { mounts: mountsFor(PATHS), network: "off", sockets: false } as const;
		const command = seatbeltCommand(options, "/private/tmp/project", ["/bin/bash", "-c", "make"]);
		expect(command.slice(3, 7)).toEqual(["sh", "/private/tmp/project", "/usr/bin/sandbox-exec", "-p"]);
		expect(command.slice(8)).toEqual(["/bin/bash", "-c", "make"]);
	});
});

test.each<NodeJS.Platform>(["win32", "freebsd"])("%s has no ring, and the probe says so", async (platform) => {
	expect(await tryRings(platform)).toEqual({ can: false, why: `There is no sandbox for ${platform}.` });
});
