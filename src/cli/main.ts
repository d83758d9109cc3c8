#!/usr/bin/env node
// Keep this small, in syntax that every Node can parse: even an old Node must be able to print what is wrong.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
	process.stderr.write(`pi-geon: Node ${process.versions.node} is too old. It needs Node 22.19 or newer, like pi.\n`);
	process.exitCode = 1;
} else {
	const { runCli } = await import("./run.ts");
	await runCli(process.argv.slice(2));
}
