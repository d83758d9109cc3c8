import { appendFileSync, readFileSync } from "node:fs";

/** A hook: keeps what it was given in a file, and then does as it is told. */
const [does = "agree", file = ""] = process.argv.slice(2);
const given: unknown = JSON.parse(readFileSync(0, "utf8"));
if (file !== "") appendFileSync(file, `${JSON.stringify(given)}\n`);
if (does === "refuse") {
	process.stderr.write(`Not on Fridays.\nMy token is ghp_${"Ab3".repeat(12)}.\n`);
	process.exitCode = 2;
}
// With a handle that keeps it alive, and deaf to all but SIGKILL.
if (does === "hang") {
	process.on("SIGTERM", () => {});
	setInterval(() => {}, 60_000);
}
