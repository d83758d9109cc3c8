#!/usr/bin/env node
// The one check that counts, arranged for two cores: types and spelling beside the rest, what is built is built once, and a
// share of the tests that take long (test/helpers/share.ts).
import { spawn } from "node:child_process";
import { npmCommand } from "./bootstrap.mjs";

/** Runs an npm script to its end. What runs beside another keeps its words together until then. */
function run(script, { aside = false, env = {} } = {}) {
	const [command, args] = npmCommand(["run", "--silent", script]);
	const child = spawn(command, args, {
		env: { ...process.env, ...env },
		stdio: aside ? ["ignore", "pipe", "pipe"] : "inherit",
	});
	const said = [];
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => said.push(bytes));
	return new Promise((resolve) => {
		const end = (code, problem = "") => {
			process.stderr.write(Buffer.concat([...said, Buffer.from(problem)]));
			if (code !== 0) console.error(`npm run ${script} failed.`);
			resolve(code === 0);
		};
		child.once("error", (error) => end(1, `${error.message}\n`));
		child.once("close", (code) => end(code));
	});
}

/** One after the other, up to the first that fails. */
async function inTurn(...scripts) {
	for (const script of scripts) if (!(await run(script, { aside: true }))) return false;
	return true;
}

const passed = await Promise.all([inTurn("types", "spelling"), inTurn("build", "package-lint", "lint")]);
const held = passed.every(Boolean) && (await run("test:run", { env: { PI_GEON_BUILT: "1", PI_GEON_SHARE: "1" } }));
process.exitCode = held ? 0 : 1;
