import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { toolFolders } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { useLab } from "../lsp/lab.ts";

/** A question about code downloads nothing, also in a project that uses packages whose types are missing. */

const openLab = useLab();
const openHome = useHome();

const FILES = {
	"package.json": JSON.stringify({ dependencies: { lodash: "*", express: "*" } }),
	// What a project may say to switch it on again.
	"jsconfig.json": JSON.stringify({ typeAcquisition: { enable: true, include: ["lodash"] } }),
	"a.js": 'const _ = require("lodash");\nconst app = require("express")();\nconst doubled = [1].map((n) => n * 2);\n',
};

/** A package manager that only writes down how it was called, and a registry that counts who connects. */
async function watchDownloads() {
	const folder = mkdtempSync(join(tmpdir(), "npm-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const mark = join(folder, "called");
	mkdirSync(join(folder, "bin"));
	for (const name of ["npm", "npx", "yarn", "pnpm", "bun"]) {
		const path = join(folder, "bin", name);
		writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> '${mark}'\nexit 1\n`);
		chmodSync(path, 0o755);
	}
	let connections = 0;
	const registry = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
	registry.on("connection", () => connections++);
	await new Promise((resolve) => registry.once("listening", resolve));
	onTestFinished(() => void registry.close());
	const { port } = registry.address() as AddressInfo;
	return {
		folder,
		bin: join(folder, "bin"),
		registry: `http://127.0.0.1:${port}/`,
		seen: () => ({ called: existsSync(mark) ? readFileSync(mark, "utf8") : "", connections }),
	};
}

const NOTHING = { called: "", connections: 0 };

test.each([false, true])("TypeScript 7 installs no types (project trusted: %s)", async (trusted) => {
	const { bin, folder, registry, seen } = await watchDownloads();
	const lab = openLab({ files: FILES });
	const path = [bin, ...toolFolders, process.env.PATH].join(delimiter);
	const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: folder, npm_config_registry: registry, PATH: path };
	const ask = (action: "hover" | "definition") => lab.lsp({ action, file: "a.js", query: "doubled" }, { env, trusted });
	expect((await ask("hover")).text).toContain("number[]");
	await ask("definition");
	await lab.lsp({ action: "workspace-diagnostics" }, { env, trusted });
	await lab.pool.dispose();
	expect(seen()).toEqual(NOTHING);
});

test("typescript-language-server tells its tsserver to install no types, whatever the user's options say", async () => {
	const { folder } = await watchDownloads();
	const args = join(folder, "args");
	const tsserver = join(folder, "lib", "tsserver.js");
	mkdirSync(join(folder, "lib"));
	writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "typescript", version: "6.0.0" }));
	writeFileSync(
		tsserver,
		`require("fs").writeFileSync(${JSON.stringify(args)}, process.argv.join(" ")); process.exit(1)`,
	);
	const lab = openLab({
		files: FILES,
		servers: [
			{ name: "typescript", disabled: true },
			{
				name: "typescript-language-server",
				initializationOptions: {
					tsserver: { path: tsserver, useSyntaxServer: "never" },
					disableAutomaticTypingAcquisition: false,
				},
			},
		],
	});
	await expect(lab.lsp({ action: "hover", file: "a.js", query: "doubled" }, { trusted: true })).rejects.toThrow();
	expect(readFileSync(args, "utf8")).toContain("--disableAutomaticTypingAcquisition");
});

describe.each(somePi(import.meta.url))("a subagent, on pi %s", (version) => {
	test("asks about JavaScript, and nothing is downloaded", async () => {
		const { bin, registry, seen } = await watchDownloads();
		const hover = toolCall("lsp", { action: "hover", file: "a.js", query: "doubled" });
		const home = await openHome({
			files: FILES,
			script: dispatch({
				parent: [delegateTo("explorer", "What is it?"), text("Done.")],
				child: ({ turn, toolResults }) => (turn === 0 ? hover : finalize(toolResults[0]?.text ?? "")),
			}),
		});
		const env = { PATH: [bin, home.env.PATH].join(delimiter), npm_config_registry: registry };
		const run = await promptPi(home, "Go.", { version, env });
		expect(delegations(run)[0]?.finalized?.result, run.stderr).toContain("number[]");
		expect(seen()).toEqual(NOTHING);
	});
});
