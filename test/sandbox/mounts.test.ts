import { describe, expect, test } from "vitest";
import { bwrapArguments } from "../../src/sandbox/bwrap.ts";
import { isShown, type Mount, mountsFor, outsidePath, type RingPaths } from "../../src/sandbox/mounts.ts";
import fc from "../helpers/fast-check.ts";

const PATHS: RingPaths = {
	tmp: "/home/u/.pi/agent/pi-geon/scratch/s/tmp",
	tmpFolders: ["/tmp", "/var/tmp"],
	socketFolders: ["/run"],
	hiddenFolders: ["/home/u/.ssh", "/home/u/.pi/agent"],
	hiddenFiles: ["/home/u/.netrc"],
	readable: ["/tmp/project", "/home/u/.pi/agent/bin", "/home/u/.pi/agent/skills/memos"],
	writable: ["/home/u/.pi/agent/trees/t"],
	machineSettings: ["/proc/sys"],
	ownProcesses: true,
};
const abilities = { bwrap: "/usr/bin/bwrap", ownProcesses: true, forbidsNamespaces: true };

describe("the arguments of a ring", () => {
	const of = (options: Partial<Parameters<typeof bwrapArguments>[0]>) =>
		bwrapArguments({
			abilities,
			filter: 9,
			mounts: mountsFor(PATHS),
			cwd: "/tmp/project",
			network: "off",
			isRoot: false,
			...options,
		})
			.join(" ")
			.split(" --")
			.map((each, index) => (index === 0 ? each : `--${each}`));

	test("mount what is deeper later, and close hidden folders last", () => {
		expect(of({})).toMatchInlineSnapshot(`
			[
			  "--seccomp 9",
			  "--unshare-user",
			  "--unshare-pid",
			  "--unshare-ipc",
			  "--unshare-uts",
			  "--unshare-cgroup-try",
			  "--unshare-net",
			  "--die-with-parent",
			  "--new-session",
			  "--cap-drop ALL",
			  "--disable-userns",
			  "--ro-bind / /",
			  "--dev /dev",
			  "--proc /proc",
			  "--tmpfs /run",
			  "--bind /home/u/.pi/agent/pi-geon/scratch/s/tmp /tmp",
			  "--ro-bind /proc/sys /proc/sys",
			  "--ro-bind /tmp/project /tmp/project",
			  "--bind /home/u/.pi/agent/pi-geon/scratch/s/tmp /var/tmp",
			  "--ro-bind /dev/null /home/u/.netrc",
			  "--tmpfs /home/u/.ssh",
			  "--tmpfs /home/u/.pi/agent",
			  "--ro-bind /home/u/.pi/agent/bin /home/u/.pi/agent/bin",
			  "--ro-bind /home/u/.pi/agent/skills/memos /home/u/.pi/agent/skills/memos",
			  "--bind /home/u/.pi/agent/trees/t /home/u/.pi/agent/trees/t",
			  "--remount-ro /proc",
			  "--remount-ro /run",
			  "--remount-ro /home/u/.ssh",
			  "--remount-ro /home/u/.pi/agent",
			  "--chdir /tmp/project",
			]
		`);
	});

	test("mount nothing twice: not what is hidden in a hidden folder, nor what the folder around it shows in the same way", () => {
		const mounts = mountsFor({
			...PATHS,
			hiddenFolders: [...PATHS.hiddenFolders, "/home/u/.pi/agent/sessions", "/home/u/.pi/agent/skills/memos/keys"],
			hiddenFiles: [...PATHS.hiddenFiles, "/home/u/.pi/agent/auth.json"],
			readable: [...PATHS.readable, "/home/u/project", "/home/u/.pi/agent/trees/t/vendor", "/tmp/project/src"],
			writable: [...PATHS.writable, "/home/u/.pi/agent/trees/t/src"],
		});
		const before = mountsFor(PATHS).map(({ at }) => at);
		expect(mounts.map(({ at }) => at).filter((at) => !before.includes(at))).toEqual([
			"/home/u/.pi/agent/skills/memos/keys",
			"/home/u/.pi/agent/trees/t/vendor",
		]);
	});

	test("mount a hidden folder in a hidden one where commands start", () => {
		const cwd = "/home/u/.pi/agent/sessions";
		const mounts = mountsFor({ ...PATHS, hiddenFolders: ["/home/u/.pi/agent", cwd], readable: [cwd] });
		expect(mounts).toContainEqual({ at: cwd, as: "empty" });
	});

	test("of root map another id; with the network, share it; an old bubblewrap is asked for less", () => {
		const base = of({});
		expect(of({ isRoot: true }).filter((each) => !base.includes(each))).toEqual(["--uid 1000", "--gid 1000"]);
		expect(base.filter((each) => !of({ network: "on" }).includes(each))).toEqual(["--unshare-net"]);
		const old = of({ abilities: { ...abilities, forbidsNamespaces: false } });
		expect(base.filter((each) => !old.includes(each))).toEqual(["--disable-userns"]);
	});
});

describe("what a ring shows", () => {
	const mounts = mountsFor(PATHS);
	test.each([
		["/etc/hosts", "/etc/hosts"],
		["/tmp/note", "/home/u/.pi/agent/pi-geon/scratch/s/tmp/note"],
		["/tmp/project/a.ts", "/tmp/project/a.ts"],
		["/home/u/.ssh/id", undefined],
		["/home/u/.netrc", undefined],
		["/home/u/.netrc-not", "/home/u/.netrc-not"],
		["/home/u/.pi/agent/auth.json", undefined],
		["/home/u/.pi/agent/skills/memos/SKILL.md", "/home/u/.pi/agent/skills/memos/SKILL.md"],
		["/home/u/.pi/agent/trees/t/a.ts", "/home/u/.pi/agent/trees/t/a.ts"],
		["/run/docker.sock", undefined],
		["/proc/self/environ", undefined],
		["/dev/sda", undefined],
	])("%s is %s outside", (path, outside) => {
		expect(outsidePath(mounts, path)).toBe(outside);
	});

	test("is known by the real path too", () => {
		expect(isShown(mounts, "/home/u/.pi/agent/pi-geon/scratch/s/tmp/note")).toBe(true);
		expect(isShown(mounts, "/home/u/.pi/agent/pi-geon/scratch/s/no-sockets.bpf")).toBe(false);
		expect(isShown(mounts, "/tmp/note")).toBe(false);
		expect(isShown(mounts, "/tmp/project/a")).toBe(true);
		expect(isShown(mounts, "/home/u/.ssh/id")).toBe(false);
	});
});

const folder = fc
	.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 })
	.map((parts) => `/${parts.join("/")}`);
const folders = fc.uniqueArray(folder, { maxLength: 4 });

describe("whatever is hidden, readable and writable", () => {
	const paths = fc.record({ hiddenFolders: folders, readable: folders, writable: folders });
	const mountsOf = (some: Pick<RingPaths, "hiddenFolders" | "readable" | "writable">): Mount[] =>
		mountsFor({ ...PATHS, hiddenFiles: [], ...some });

	test("a hidden folder is never writable, nor readable, by itself", () => {
		fc.assert(
			fc.property(paths, (some) => {
				const mounts = mountsOf(some);
				for (const hidden of some.hiddenFolders) expect(outsidePath(mounts, hidden)).toBeUndefined();
			}),
		);
	});

	test("nothing is mounted over a path that was mounted before", () => {
		fc.assert(
			fc.property(paths, (some) => {
				const places = mountsOf(some).map(({ at }) => at);
				expect(new Set(places).size).toBe(places.length);
				places.forEach((place, index) => {
					expect(places.slice(index + 1).some((later) => place.startsWith(`${later}/`))).toBe(false);
				});
			}),
		);
	});

	test("each path is as the deepest folder around it says, though what repeats it is left out", () => {
		fc.assert(
			fc.property(paths, folder, (some, path) => {
				const isAround = (at: string) => path === at || path.startsWith(`${at}/`);
				const around = [...some.hiddenFolders, ...some.readable, ...some.writable].filter(isAround);
				const deepest = around.sort((a, b) => a.length - b.length).at(-1);
				const isHidden = deepest !== undefined && some.hiddenFolders.includes(deepest);
				expect(outsidePath(mountsOf(some), path)).toBe(isHidden ? undefined : path);
			}),
		);
	});

	test("what can be written is at its own place, below nothing hidden that is deeper", () => {
		fc.assert(
			fc.property(paths, folder, (some, path) => {
				const deepest = mountsOf(some).findLast(({ at }) => path === at || path.startsWith(`${at === "/" ? "" : at}/`));
				if (deepest?.as !== "writable" || deepest.from === PATHS.tmp) return;
				expect(some.writable).toContain(deepest.at);
				expect(
					some.hiddenFolders.some((hidden) => hidden.startsWith(`${deepest.at}/`) && path.startsWith(`${hidden}/`)),
				).toBe(false);
			}),
		);
	});
});
