import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { giveAway } from "../helpers/another-user.ts";
import { toolFolders } from "../helpers/repository.ts";
import { type Lab, useLab } from "../lsp/lab.ts";

/** Which programs run in a project that nobody trusts. What runs leaves a mark. */

const openLab = useLab();

/** A folder of the user's, outside of every project. */
function ownFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "own-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function program(path: string, text = "#!/bin/sh\nexit 1\n"): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, 0o755);
	return path;
}

async function gopls(lab: Lab, path: string, trusted = false): Promise<{ command?: string; text: string }> {
	const answer = await lab.lsp({ action: "servers", server: "gopls" }, { trusted, env: { PATH: path } });
	const [server] = (answer.details as { servers: { command?: string }[] }).servers;
	return { text: answer.text, ...(server?.command !== undefined && { command: server.command }) };
}

describe("a program of an untrusted project is not run, however it is reached:", () => {
	const SPELLINGS: Record<string, (project: string, own: string) => string> = {
		"the PATH names its folder": (project) => program(join(project, "bin", "gopls")) && join(project, "bin"),
		"the PATH names its folder in a roundabout way": (project, own) => {
			program(join(project, "bin", "gopls"));
			return join(own, "..", basename(project), "bin");
		},
		"the PATH names a link to its folder": (project, own) => {
			program(join(project, "bin", "gopls"));
			symlinkSync(join(project, "bin"), join(own, "tools"));
			return join(own, "tools");
		},
		"the PATH names a folder below a link": (project, own) => {
			program(join(project, "deep", "bin", "gopls"));
			symlinkSync(join(project, "deep"), join(own, "deep"));
			return join(own, "deep", "bin");
		},
		"the PATH names a folder with a link to it": (project, own) => {
			symlinkSync(program(join(project, "gopls")), join(own, "gopls"));
			return own;
		},
		"a link leads to a link of the project, which leads out again": (project, own) => {
			program(join(own, "elsewhere", "gopls"));
			symlinkSync(join(own, "elsewhere"), join(project, "way-out"));
			mkdirSync(join(own, "bin"));
			symlinkSync(join(project, "way-out", "gopls"), join(own, "bin", "gopls"));
			return join(own, "bin");
		},
		"a folder that is a link of the project": (project, own) => {
			program(join(own, "elsewhere", "gopls"));
			symlinkSync(join(own, "elsewhere"), join(project, "tools"));
			return join(project, "tools");
		},
	};

	test.each(Object.keys(SPELLINGS))("%s", async (spelling) => {
		const lab = openLab({ files: { "go.mod": "module m\n" } });
		const path = SPELLINGS[spelling]?.(lab.folder, ownFolder()) ?? "";
		const { command, text } = await gopls(lab, path);
		expect(command).toBeUndefined();
		expect(text).toMatch(/this project is not trusted, so .*gopls was skipped: it (is in|leads into) the project\./);
		expect((await gopls(lab, path, true)).command).toContain("gopls");
	});

	test.each(["bin", "./bin", ".", "", "bin/../bin"])("the PATH has the relative entry %j", async (entry) => {
		const lab = openLab({ files: {} });
		program(join(lab.folder, "bin", "gopls"));
		program(join(lab.folder, "gopls"));
		const before = process.cwd();
		onTestFinished(() => process.chdir(before));
		process.chdir(lab.folder);
		expect((await gopls(lab, `${entry}${delimiter}/nowhere`)).command).toBeUndefined();
	});

	test("it belongs to the repository around the current one", async () => {
		const lab = openLab({ files: { "inner/go.mod": "module m\n" }, cwd: "inner" });
		for (const folder of [lab.folder, join(lab.folder, "inner")]) mkdirSync(join(folder, ".git"));
		program(join(lab.folder, "tools", "gopls"));
		expect((await gopls(lab, join(lab.folder, "tools"))).text).toContain("it is in the project");
	});

	test("it belongs to the main checkout of a linked worktree", async () => {
		const lab = openLab({ files: { "main/a.go": "package m\n", "work/x": "" }, cwd: "work/tree" });
		const main = join(lab.folder, "main");
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], { cwd: main });
		git("init", "--quiet");
		git("add", ".");
		git("commit", "--quiet", "-m", "one");
		git("worktree", "add", "--quiet", join(lab.folder, "work", "tree"));
		program(join(main, "tools", "gopls"));
		expect((await gopls(lab, join(main, "tools"))).text).toContain("it is in the project");
	});

	test("npm put the node_modules/.bin of a folder above on the PATH", async () => {
		const lab = openLab({ files: { "pkg/go.mod": "module m\n" }, cwd: "pkg" });
		const bin = dirname(program(join(lab.folder, "node_modules", ".bin", "gopls")));
		expect((await gopls(lab, bin)).text).toContain("it is in the project");
	});

	test("the user's table names it by its path", async () => {
		const lab = openLab({ files: {}, servers: [{ name: "gopls", command: [join("/", "nowhere", "gopls")] }] });
		const inside = program(join(lab.folder, "gopls"));
		const linked = join(ownFolder(), "gopls");
		symlinkSync(inside, linked);
		for (const path of [inside, linked]) {
			const servers = lab.session().servers.map((server) => ({ ...server, command: [path] }));
			const { text } = await lab.lsp({ action: "servers", server: "gopls" }, { servers, env: {} });
			expect(text).toMatch(/it (is in|leads into) the project/);
		}
	});

	test("a version manager lets the project choose the program", async () => {
		const lab = openLab({ files: { ".tool-versions": "gopls path:./evil\n" } });
		const shims = dirname(program(join(ownFolder(), "shims", "gopls")));
		expect((await gopls(lab, shims)).text).toContain("it lets the project choose what it runs");
	});
});

test("a program of the user's runs in an untrusted project, also through links", async () => {
	const lab = openLab({ files: {} });
	const own = ownFolder();
	program(join(own, "opt", "gopls-1.0"));
	mkdirSync(join(own, "bin"));
	symlinkSync("../opt/gopls-1.0", join(own, "bin", "gopls"));
	expect((await gopls(lab, join(own, "bin"))).command).toBe(join(own, "bin", "gopls"));
});

describe("programs of other users are not run in an untrusted project:", () => {
	test.each(["the program", "its folder", "the link to it"])("%s belongs to another user", async (whose) => {
		const lab = openLab({ files: {} });
		const own = ownFolder();
		const real = program(join(own, "opt", "gopls"));
		mkdirSync(join(own, "bin"));
		const link = join(own, "bin", "gopls");
		symlinkSync(real, link);
		giveAway({ "the program": real, "its folder": dirname(real), "the link to it": link }[whose] ?? "");
		const { command, text } = await gopls(lab, join(own, "bin"));
		expect(command).toBeUndefined();
		expect(text).toMatch(/belongs to another user \(uid \d+\)/);
	});

	test.each(["the program", "its folder"])("all users can write to %s", async (what) => {
		const lab = openLab({ files: {} });
		const path = program(join(ownFolder(), "bin", "gopls"));
		chmodSync(what === "the program" ? path : dirname(path), 0o777);
		expect((await gopls(lab, dirname(path))).text).toMatch(/was skipped: all users can write to /);
	});
});

describe("a server in an untrusted project", () => {
	/** Something that is started in place of a server, and writes down what it was started with. */
	const spy = (folder: string) => {
		const file = join(folder, "seen");
		const bin = join(folder, "bin");
		program(join(bin, "pyright-langserver"), `#!/bin/sh\n{ pwd; env; } > '${file}'\nexit 1\n`);
		return { bin, seen: () => readFileSync(file, "utf8") };
	};

	test("gets a PATH without folders of the project or of others, and nothing that loads code", async () => {
		const lab = openLab({ files: { "a.py": "x = 1\n", "tools/node": "", "env.sh": "" } });
		const own = ownFolder();
		const { bin, seen } = spy(own);
		symlinkSync(join(lab.folder, "tools"), join(own, "tools"));
		mkdirSync(join(own, "foreign"));
		chmodSync(join(own, "foreign"), 0o777);
		const bad = [join(lab.folder, "tools"), join(own, "tools"), join(own, "foreign"), "tools", ".", ""];
		const env = {
			PATH: [...bad, bin, "/usr/bin", "/bin"].join(delimiter),
			...{ NODE_OPTIONS: "--require ./evil.cjs", BASH_ENV: "env.sh", PYTHONPATH: ".", LD_PRELOAD: "" },
			...{ LD_LIBRARY_PATH: `${lab.folder}:`, GOFLAGS: "-toolexec=./evil", VIRTUAL_ENV: lab.folder, KEPT: "yes" },
		};
		await expect(lab.lsp({ action: "hover", file: "a.py", line: 1, query: "x" }, { env })).rejects.toThrow("pyright");
		const [cwd, ...lines] = seen().split("\n");
		expect(lines).toContain(`PATH=${[bin, "/usr/bin", "/bin"].join(delimiter)}`);
		expect(lines).toContain("KEPT=yes");
		expect(lines.join("\n")).not.toContain(lab.folder);
		expect(lines.join("\n")).not.toMatch(/evil|env\.sh|PYTHONPATH/);
		expect(cwd?.startsWith(lab.folder)).toBe(false);
	});

	test("gets the user's whole environment if the project is trusted, but no way to download", async () => {
		const lab = openLab({ files: { "a.py": "x = 1\n" } });
		const { bin, seen } = spy(ownFolder());
		const env = {
			PATH: [join(lab.folder, "tools"), bin, "/usr/bin", "/bin"].join(delimiter),
			NODE_OPTIONS: "--no-warnings",
		};
		const ask = lab.lsp({ action: "hover", file: "a.py", line: 1, query: "x" }, { env, trusted: true });
		await expect(ask).rejects.toThrow("pyright");
		expect(seen()).toContain(`PATH=${env.PATH}`);
		expect(seen()).toContain("NODE_OPTIONS=--no-warnings");
		for (const line of ["npm_config_offline=true", "GOPROXY=off", "CARGO_NET_OFFLINE=true", "PIP_NO_INDEX=1"]) {
			expect(seen()).toContain(line);
		}
	});

	test("that is a script for node does not get a node of the project's", async () => {
		const lab = openLab({ files: { "a.py": "x = 1\n" } });
		const own = ownFolder();
		const mark = join(own, "mark");
		program(join(own, "bin", "pyright-langserver"), "#!/usr/bin/env node\nprocess.exit(3)\n");
		program(join(lab.folder, "bin", "node"), `#!/bin/sh\ntouch '${mark}'\n`);
		symlinkSync(join(lab.folder, "bin"), join(own, "tools"));
		const env = { PATH: [join(own, "tools"), join(own, "bin"), process.env.PATH].join(delimiter) };
		const ask = lab.lsp({ action: "hover", file: "a.py", line: 1, query: "x" }, { env });
		await expect(ask).rejects.toThrow("exit code 3");
		expect(existsSync(mark)).toBe(false);
	});

	test("is not the one that a trusted session started", async () => {
		const lab = openLab({ files: { "tsconfig.json": "{}", "a.ts": "export const a = 1;\n" } });
		for (const trusted of [true, false, true, false]) {
			await lab.lsp({ action: "hover", file: "a.ts", line: 1, query: "a" }, { trusted });
		}
		expect(lab.pids()).toHaveLength(2);
	});
});

describe("a hostile project", () => {
	/** Everything that servers are known to take from a project, as programs that leave a mark. */
	const hostile = (mark: string) => {
		const shell = `#!/bin/sh\necho "$0" >> '${mark}'\nexit 1\n`;
		const script = `require("fs").appendFileSync(${JSON.stringify(mark)}, __filename + "\\n");\n`;
		const python = `open(${JSON.stringify(mark)}, "a").write(__file__ + "\\n")\n`;
		const names = ["node", "npm", "python", "python3", "tsc", "go", "git", "uv", "pyright-langserver"];
		const folders = [".", "bin", "node_modules/.bin", ".venv/bin", "venv/bin"];
		const programs = folders.flatMap((folder) => names.map((name) => join(folder, name)));
		const modules = ["json", "os", "sys", "site", "sitecustomize", "usercustomize", "encodings", "typing"];
		return {
			programs,
			files: {
				...Object.fromEntries(programs.map((path) => [path, shell])),
				...Object.fromEntries(modules.map((name) => [`${name}.py`, python])),
				".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11\n",
				".venv/lib/python3.11/site-packages/evil.pth": `import os; ${python}`,
				"pyrightconfig.json": JSON.stringify({ venvPath: ".", venv: ".venv", pythonPath: "./python" }),
				"node_modules/typescript/package.json": JSON.stringify({ name: "typescript", version: "7.0.0" }),
				"node_modules/typescript/lib/tsserver.js": script,
				"node_modules/evil-plugin/index.js": script,
				"tsconfig.json": JSON.stringify({ compilerOptions: { plugins: [{ name: "evil-plugin" }] } }),
				".pnp.cjs": script,
				"a.ts": "export const greeting = 1;\ngreeting;\n",
				"a.py": "import json\n\ngreeting = json.dumps(1)\n",
			},
		};
	};

	test.each([
		["TypeScript", "a.ts", "greeting: 1"],
		["pyright", "a.py", "greeting: str"],
	])("runs nothing of its own when %s answers", async (_server, file, answer) => {
		const own = ownFolder();
		const mark = join(own, "mark");
		const { files, programs } = hostile(mark);
		const lab = openLab({ files });
		for (const path of programs) chmodSync(join(lab.folder, path), 0o755);
		symlinkSync(join(lab.folder, "bin"), join(own, "link"));
		// As in the shell of somebody who works on it: its virtual environment is active, npm put its programs first.
		const active = [".venv/bin", "node_modules/.bin"].map((folder) => join(lab.folder, folder));
		const env = {
			...process.env,
			PATH: [...active, join(own, "link"), ".", "", ...toolFolders, process.env.PATH].join(delimiter),
			...{ VIRTUAL_ENV: join(lab.folder, ".venv"), NODE_OPTIONS: "--require ./.pnp.cjs", PYTHONPATH: "." },
		};
		const { text } = await lab.lsp({ action: "hover", file, query: "greeting" }, { env });
		expect(text).toContain(answer);
		await lab.lsp({ action: "diagnostics", file }, { env });
		expect(existsSync(mark) ? readFileSync(mark, "utf8") : "").toBe("");
	});

	test("gets no server that runs code of its project, and the answer says which and why", async () => {
		const own = ownFolder();
		const names = ["typescript-language-server", "basedpyright-langserver", "rust-analyzer", "clangd", "zls", "mine"];
		for (const name of names) program(join(own, name));
		const lab = openLab({
			files: {},
			servers: [
				{ name: "clangd", command: ["clangd", "--query-driver=**"] },
				{ name: "zls", command: ["zls"], extensions: [".zig"] },
				{ name: "mine", command: ["mine"], extensions: [".mine"], needsTrust: false },
				{ name: "pyright", command: ["mine", "pyright"] },
			],
		});
		const lines = async (trusted: boolean) =>
			(await lab.lsp({ action: "servers" }, { trusted, env: { PATH: own } })).text.split("\n");
		const refused = (await lines(false)).filter((line) =>
			line.includes("trust the project (/trust, or pi --approve) to use it"),
		);
		expect(refused.map((line) => line.replace(/ \(.*?\): not usable\./, ":").split(": trust")[0])).toEqual([
			"clangd: clangd runs compilers that the project names, with --query-driver",
			"zls: zls may run code of the project (if it does not, set lsp.servers.zls.needsTrust to false)",
			"pyright: pyright may run code of the project (if it does not, set lsp.servers.pyright.needsTrust to false)",
			"typescript-language-server: typescript-language-server runs the TypeScript and the plugins that it finds in the project",
			"basedpyright: basedpyright runs the Python that it finds in a .venv of the project",
			"rust-analyzer: rust-analyzer runs build scripts, macros and toolchains of the project",
		]);
		expect((await lines(true)).filter((line) => line.includes("to use it"))).toEqual([]);
	});
});
