import { readFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { useLab } from "./lab.ts";
import { contentOf, isLeftOut, truthLab } from "./truth-lab.ts";
import { TRUTH, type TruthProject } from "./truth-projects.ts";

/**
 * A question about code starts no program but the server and what it reads the project with, connects to nothing, and
 * leaves the project as it was. Measured with strace, from the start of a server to its end.
 */

const openLab = useLab();

/** The server, and the programs it reads the project with. */
const PROGRAMS: Readonly<Record<string, RegExp>> = {
	typescript: /^(env|node|tsc) .*\btsc --lsp --stdio /,
	// With its tsserver; not its installer of types, nor npm.
	"typescript-language-server":
		/^(env|node|typescript-language-server) .*(\btypescript-language-server --stdio|\/tsserver\.js) /,
	// Asks Python for the folders of its packages.
	pyright: /^((env|node|pyright-langserver) .*\bpyright-langserver --stdio|python[\d.]* .*) /,
	clangd: /^clangd /,
	gopls: /^(gopls|go|compile|cgo|asm|gcc|cc1|cc|as|git) /,
	"rust-analyzer": /^(rust-analyzer|rust-analyzer-proc-macro-srv|cargo|rustc|rustup|cc|sh|ld-linux[\w.-]*) /,
};

/** What would make TypeScript's servers install types, if they did. */
const JAVASCRIPT = {
	"jsconfig.json": JSON.stringify({ typeAcquisition: { enable: true, include: ["lodash"] } }),
	"legacy/index.js":
		'const _ = require("lodash");\nconst app = require("express")();\nexports.run = () => _.map(app);\n',
};

const CASES = TRUTH.flatMap((project) =>
	[...(project.untrusted ? [false] : []), true].map((trusted) => ({ ...project, trusted })),
);

describe.each(CASES)("$server, project trusted: $trusted", (project: TruthProject & { trusted: boolean }) => {
	test.skipIf(isLeftOut(project))("starts nothing else, connects to nothing and writes nothing", async () => {
		const isTypeScript = project.server.startsWith("typescript");
		const files = { ...project.files, ...(isTypeScript && JAVASCRIPT) };
		const { lab, caches, changes } = truthLab(openLab, { ...project, files });
		const trace = join(caches, "trace");
		const servers = changes.servers?.map(({ npmPackage: _, ...definition }) => ({
			...definition,
			command: [
				"strace",
				"-f",
				"-qq",
				"-A",
				"-s",
				"400",
				"-e",
				"trace=execve,connect",
				"-o",
				trace,
				...definition.command,
			],
		}));
		const before = contentOf(lab.folder);
		// Version managers put scripts there that start many programs to choose one.
		const path = changes.env?.PATH?.split(delimiter).filter((folder) => !folder.endsWith("/shims"));
		const env = { ...changes.env, PATH: path?.join(delimiter) };
		const setup = { ...changes, env, trusted: project.trusted, ...(servers && { servers }) };
		const [question] = project.questions;
		if (!question) throw new Error("There is nothing to ask.");
		await lab.lsp(question.request, setup);
		if (isTypeScript) await lab.lsp({ action: "hover", file: "legacy/index.js", query: "run" }, setup);
		await lab.lsp({ action: "workspace-diagnostics" }, setup);
		await lab.pool.dispose();

		const lines = readFileSync(trace, "latin1").split("\n");
		expect(lines.filter((line) => /\bconnect\(.*AF_INET/.test(line))).toEqual([]);
		const started = lines.flatMap(startedProgram);
		expect(started.join("\n")).toContain(changes.servers?.[0]?.command[0]);
		expect(started.filter((program) => !PROGRAMS[project.server]?.test(program))).toEqual([]);
		expect(contentOf(lab.folder)).toEqual(before);
	});
});

/** `name arguments` of a program that was started. */
function startedProgram(line: string): string[] {
	const [, path = "", args = ""] = /\bexecve\("([^"]+)", \[([^\]]*)\].* = 0$/.exec(line) ?? [];
	if (path === "") return [];
	return [`${basename(path)} ${args.replaceAll(/"|,/g, "")} `];
}
