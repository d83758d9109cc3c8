import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { wayTo } from "../../src/files/way.ts";
import { serverEnvironment } from "../../src/lsp/server/environment.ts";
import { useLab } from "../lsp/lab.ts";

/** What a program of the user's is started with in a project that nobody trusts, and by which interpreter. */

const openLab = useLab();

function ownFolder(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "own-")));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function program(path: string, text: string): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, 0o755);
	return path;
}

describe("a variable that leads into an untrusted project is not handed on:", () => {
	const own = ownFolderOnce();
	const project = join(own, "project");
	mkdirSync(join(project, "sub"), { recursive: true });
	symlinkSync(join(project, "sub"), join(own, "link"));
	const inside = join(project, "x");
	const VARIABLES: Record<string, string> = {
		...{ GOENV: inside, GOROOT: inside, GOTOOLDIR: inside, PYTHONUSERBASE: inside, PYTHONPYCACHEPREFIX: project },
		...{ OPENSSL_CONF: join(own, "link", "openssl.cnf"), THROUGH_A_LINK: join(own, "link") },
		...{
			A_LIST: ["/usr/lib", inside].join(delimiter),
			FLAGS: `-O2 -I${inside} -g`,
			AN_OPTION: `--config=${own}/link/x`,
		},
		...{ ROUNDABOUT: `${own}/link/../sub/x`, AN_ADDRESS: `file://${inside}` },
	};
	test.each(Object.entries(VARIABLES))("%s", (name, value) => {
		expect(serverEnvironment({ [name]: value, PATH: "/usr/bin" }, [project])).not.toHaveProperty(name);
		expect(serverEnvironment({ [name]: value, PATH: "/usr/bin" }, undefined)).toHaveProperty(name, value);
	});

	test("what only looks like it is handed on", () => {
		const env = { HOME: own, GOPATH: join(own, "go"), A: `${project}-2/x`, LANG: "C.UTF-8", NO_PROXY: "localhost,::1" };
		expect(serverEnvironment({ ...env, PATH: "/usr/bin" }, [project])).toMatchObject(env);
	});

	test("the PATH has no entry that the system takes for a folder of the project", () => {
		for (const folder of [join(own, "bin"), join(project, "bin")]) mkdirSync(folder, { recursive: true });
		const roundabout = `${own}/link/../bin`;
		expect(wayTo(roundabout)?.at(-1)?.path).toBe(join(project, "bin"));
		const { PATH } = serverEnvironment({ PATH: [roundabout, join(own, "bin")].join(delimiter) }, [project]);
		expect(PATH).toBe(join(own, "bin"));
	});
});

/** For what is set up before the tests of a group. */
function ownFolderOnce(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "own-")));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

describe("a script of the user's does not run in an untrusted project by an interpreter of the project's:", () => {
	const SCRIPTS: Record<string, (python: string, own: string) => string> = {
		"the interpreter is in the project": (python) => `#!${python}\n`,
		"it is a link into the project": (python, own) => {
			symlinkSync(python, join(own, "python"));
			return `#! ${join(own, "python")} -I\n`;
		},
		"env is told to start it": (python) => `#!/usr/bin/env -S ${python} -I\n`,
		"a shell is told to start it, as pip does for long paths": (python) =>
			`#!/bin/sh\n'''exec' "${python}" "$0" "$@"\n' '''\n`,
		"the interpreter is a script with such an interpreter": (python, own) =>
			`#!${program(join(own, "wrapper"), `#!${python}\n`)}\n`,
	};
	test.each(Object.keys(SCRIPTS))("%s", async (way) => {
		const lab = openLab({ files: { "a.py": "x = 1\n" } });
		const own = ownFolder();
		const mark = join(own, "mark");
		const python = program(join(lab.folder, ".venv", "bin", "python"), `#!/bin/sh\ntouch '${mark}'\nexit 3\n`);
		program(join(own, "bin", "pyright-langserver"), SCRIPTS[way]?.(python, own) ?? "");
		const env = { PATH: [join(own, "bin"), "/usr/bin", "/bin"].join(delimiter) };
		const ask = (trusted: boolean) =>
			lab.lsp({ action: "hover", file: "a.py", line: 1, query: "x" }, { env, trusted }).catch((error) => error);
		await ask(false);
		expect(existsSync(mark)).toBe(false);
		const { text } = await lab.lsp({ action: "servers", server: "pyright" }, { env });
		expect(text).toMatch(/pyright-langserver was skipped: its interpreter .*: it (is in|leads into) the project\./);
		await ask(true);
		expect(existsSync(mark)).toBe(true);
	});
});
