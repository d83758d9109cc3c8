import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRing } from "../../src/sandbox/ring.ts";
import { RingedFiles } from "../../src/sandbox/ringed-files.ts";
import { PATIENCE_MS } from "../helpers/patience.ts";

/**
 * A file of /proc counts as a regular file of 0 bytes. Some are endless, and some hold what no project may read. Other files
 * have an end, but are larger than the memory: git stores a gigabyte of line breaks in a kilobyte.
 */

function scratch(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pg-endless-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

const source = (path: string) => pathToFileURL(join(import.meta.dirname, "..", "..", "src", path)).href;

/** In a process of its own, which can be ended, with little memory. */
const evaluate = async (module: string, expression: string) => {
	const code = `import * as it from ${JSON.stringify(source(module))}; console.log(JSON.stringify(${expression} ?? null));`;
	const args = ["--max-old-space-size=256", "--input-type=module", "-e", code];
	const run = promisify(execFile)(process.execPath, args, { timeout: PATIENCE_MS });
	return JSON.parse((await run).stdout) as unknown;
};

/** Its size is that of all memory a process can have: half a terabyte. */
const ENDLESS = "/proc/self/pagemap";

describe.skipIf(process.platform !== "linux")("a link to an endless file of /proc", () => {
	test("as .git does not say what the checkout is", async () => {
		const folder = scratch();
		symlinkSync(ENDLESS, join(folder, ".git"));
		expect(await evaluate("files/repository.ts", `it.mainCheckoutOf(${JSON.stringify(folder)})`)).toBeNull();
	});

	test("as a configuration file of pi or of ours is not read", async () => {
		const folder = scratch();
		mkdirSync(join(folder, ".pi"));
		for (const name of ["pi-geon.json", "mcp.json", "settings.json"]) symlinkSync(ENDLESS, join(folder, ".pi", name));
		const config = `it.readConfigFile(${JSON.stringify(join(folder, ".pi/pi-geon.json"))}, [], { isKnown: false })`;
		expect(await evaluate("config/read-file.ts", config)).toBe("unusable");
		const where = { agentDir: "/nowhere", cwd: folder, projectTrusted: true };
		const servers = await evaluate("child/mcp-config.ts", `it.readMcpConfig(${JSON.stringify(where)})`);
		expect(servers).toMatchObject({ servers: [], errors: [expect.stringContaining("mcp.json")] });
		expect(await evaluate("cli/loaded-by-pi.ts", `it.isLoadedByPi("/nowhere", ${JSON.stringify(folder)})`)).toBeNull();
	});
});

describe("the root of a language server is found although", () => {
	const PLACES: Record<string, (path: string) => void> = {
		"a pipe": (path) => execFileSync("mkfifo", [path]),
		"a folder": (path) => mkdirSync(path),
		"an endless file of /proc": (path) => symlinkSync(ENDLESS, path),
	};
	test.each(Object.keys(PLACES))("%s is in the place of Cargo.toml", async (what) => {
		const folder = scratch();
		PLACES[what]?.(join(folder, "Cargo.toml"));
		const marker = `it.hasMarker(${JSON.stringify(folder)}, { file: "Cargo.toml", saying: /x/ })`;
		expect(await evaluate("lsp/session.ts", marker)).toBe(false);
	});
});

test("source files that no server would read are not read to look for a word in them", async () => {
	const folder = scratch();
	const files = ["a.ts", "b.ts", "c.ts"].map((name) => join(folder, name));
	for (const file of files.slice(1)) {
		writeFileSync(file, "");
		truncateSync(file, 1_000_000_000);
	}
	writeFileSync(files[0] ?? "", "export const word = 1;\n");
	const looked = `[await it.mentionsOf("word", ${JSON.stringify(files)}), process.resourceUsage().maxRSS]`;
	const [mentions, kilobytes] = (await evaluate("lsp/mentions.ts", looked)) as [unknown, number];
	expect(mentions).toEqual([{ file: files[0], inCode: true }]);
	expect(kilobytes).toBeLessThan(500_000);
});

test("a subagent's tools read no file whose lines would fill the memory of its host", async () => {
	const folder = scratch();
	const file = join(folder, "README.md");
	writeFileSync(file, "");
	truncateSync(file, 32 * 1024 * 1024);
	const none = { writable: [], readable: [folder], hidden: [], env: [] };
	const abilities = { bwrap: "/usr/bin/bwrap", ownProcesses: true, forbidsNamespaces: true };
	const ring = openRing({ ...none, abilities, cwd: folder, scratch: scratch(), network: "off", sockets: false });
	const files = new RingedFiles(() => ring);
	expect(await files.read(file)).toHaveLength(32 * 1024 * 1024);
	truncateSync(file, 32 * 1024 * 1024 + 1);
	await expect(files.read(file)).rejects.toThrow(/README\.md is larger than 32 MiB: search it with grep/);
});
