import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { helpReport } from "../../src/pi/commands/help.ts";

test("the help has a line with which a shell finds the command of this package", () => {
	const line = helpReport(40, { subagents: [], toolkit: [] }).find((one) => one.includes("alias pi-geon="));
	const env = { PATH: process.env.PATH ?? "" };
	const script = `shopt -s expand_aliases\n${line}\npi-geon --version`;
	expect(execFileSync("bash", ["--norc", "-c", script], { env, encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});
