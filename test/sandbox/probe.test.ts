import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { RingProbe } from "../../src/sandbox/probe.ts";
import { repositoryRoot } from "../helpers/repository.ts";

const PROBE = `import { probeRing } from ${JSON.stringify(join(repositoryRoot, "src", "sandbox", "probe.ts"))}; console.log(JSON.stringify(await probeRing()));`;

/** The probe in a machine of its own, which bubblewrap makes. */
function probed(...machine: string[]): RingProbe {
	const node = [process.execPath, "--input-type=module", "-e", PROBE];
	const [program = "", ...args] = machine.length > 0 ? ["bwrap", ...machine, "--", ...node] : node;
	return JSON.parse(execFileSync(program, args, { encoding: "utf8" })) as RingProbe;
}

const SAME = ["--unshare-user", "--dev-bind", "/", "/"];

test("a machine with bubblewrap and user namespaces can", () => {
	expect(probed()).toEqual({
		can: true,
		by: expect.stringMatching(/^bwrap \d+\.\d+/),
		abilities: { bwrap: "/usr/bin/bwrap", ownProcesses: true, forbidsNamespaces: true },
	});
});

test("one that forbids namespaces cannot, although bubblewrap is there, and says so in its words", () => {
	const probe = probed(...SAME, "--uid", "1000", "--disable-userns");
	expect(probe).toEqual({
		can: false,
		why: expect.stringMatching(/^bubblewrap cannot make a sandbox here: bwrap: .+\. .+/),
	});
});

test("one without bubblewrap cannot, and says what to install", () => {
	const probe = probed(...SAME, "--ro-bind", "/dev/null", "/usr/bin/bwrap");
	expect(probe).toEqual({
		can: false,
		why: expect.stringMatching(/^bubblewrap is not installed\. Install .*apt-get install bubblewrap/),
	});
});

test("one that has no /proc of its own to give can, and says what is weaker", () => {
	// As in a container: parts of /proc are covered, so the kernel mounts no other one.
	const probe = probed(...SAME, "--uid", "1000", "--ro-bind", "/proc/sys", "/proc/sys");
	expect(probe).toMatchObject({
		can: true,
		by: expect.stringContaining("/proc of the system"),
		abilities: { ownProcesses: false },
	});
});

test("a temporary folder that is only missing for a moment does not count against the machine", () => {
	const folder = join(mkdtempSync(join(tmpdir(), "pi-geon-late-")), "tmp");
	const late = `import { mkdirSync } from "node:fs"; setTimeout(() => mkdirSync(process.env.TMPDIR), 600); ${PROBE}`;
	try {
		const node = ["--input-type=module", "-e", late];
		const said = execFileSync(process.execPath, node, { encoding: "utf8", env: { ...process.env, TMPDIR: folder } });
		expect(JSON.parse(said)).toMatchObject({ can: true });
	} finally {
		rmSync(dirname(folder), { recursive: true });
	}
});
