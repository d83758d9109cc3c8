import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOpenToUs } from "../../src/sandbox/existing.ts";
import { hiddenByVariables } from "../../src/sandbox/hidden.ts";
import { removeScratch } from "../../src/sandbox/scratch.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { said, useRing } from "./a-ring.ts";

const openRing = useRing();

test("a hidden place that others make between two commands is hidden from the second", async () => {
	const { ring, outside } = await openRing();
	const [file, folder] = [join(outside, "key"), join(outside, "keys")];
	const showing = { ...ring, setup: { ...ring.setup, readable: [outside] } };
	const hiding = { ...showing, setup: { ...showing.setup, hidden: [file, folder] } };
	const look = `cat ${file} ${folder}/key`;
	expect((await said(hiding, look)).output).toContain("No such file");
	mkdirSync(folder);
	for (const each of [file, join(folder, "key")]) writeFileSync(each, "a secret\n");
	expect((await said(hiding, look)).output).not.toContain("a secret");
	// Many programs replace a file when they write it.
	writeFileSync(join(outside, "new"), "a newer secret\n");
	renameSync(join(outside, "new"), file);
	expect((await said(hiding, look)).output).not.toContain("secret");
	expect((await said(showing, look)).output).toContain("a newer secret");
});

test("a hidden place is hidden at each path where its disk is mounted", async () => {
	const { ring, outside } = await openRing();
	const [home, disk] = [join(outside, "home"), join(outside, "disk with a space")];
	for (const folder of [join(home, "keys"), disk]) mkdirSync(folder, { recursive: true });
	for (const file of ["keys/one", "key", "note"]) writeFileSync(join(home, file), `${file} is there\n`);
	const hidden = [join(home, "keys"), join(home, "key")];
	const setup = JSON.stringify({ ...ring.setup, readable: [outside], hidden });
	const look = `cd '${disk}'; cat note; cat key keys/one '${home}/key' '${home}/keys/one'; true`;
	const program = join(repositoryRoot, "test", "children", "in-ring.ts");
	const command = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
	const inNamespace = ["-Urm", "sh", "-c", command, "sh", home, disk, process.execPath, program, setup, look];
	expect(execFileSync("unshare", inNamespace, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })).toBe(
		"note is there\n",
	);
});

test("the home folder of the account is hidden as well where pi has another one", () => {
	const file = join(repositoryRoot, "src", "sandbox", "hidden.ts");
	const code = `import { hiddenInHomes } from ${JSON.stringify(file)}; console.log(hiddenInHomes().join("\\n"));`;
	const env = { ...process.env, HOME: "/another/home" };
	const places = execFileSync(process.execPath, ["--input-type=module", "-e", code], { env, encoding: "utf8" });
	expect(places.split("\n")).toEqual(expect.arrayContaining(["/another/home/.ssh", join(userInfo().homedir, ".ssh")]));
});

test("what variables name as the place of keys and histories is hidden, and nothing that holds more than that", () => {
	const places = hiddenByVariables({
		KUBECONFIG: "/keys/one:/keys/two",
		HISTFILE: "/dev/null",
		DOCKER_CONFIG: "relative",
		XDG_CONFIG_HOME: "/moved",
		PATH: "/usr/bin",
	});
	expect(places).toEqual(expect.arrayContaining(["/keys/one", "/keys/two", "/dev/null", "/moved/gh", "/moved/gcloud"]));
	expect(places.filter((path) => !/^\/(keys|moved|dev)\//.test(path))).toEqual([]);
});

test("a key that a variable names is hidden; a folder with the project in it and /dev/null are not", async () => {
	const { ring, tree, outside } = await openRing();
	const key = join(outside, "credentials");
	writeFileSync(key, "a secret\n");
	writeFileSync(join(tree, "file"), "of the project\n");
	// A ring has a /tmp of its own, and this checkout may be below /tmp.
	const setup = JSON.stringify({ ...ring.setup, readable: [outside] });
	const node = [process.execPath, join(repositoryRoot, "test", "children", "in-ring.ts"), setup];
	const run = (env: object) =>
		execFileSync(node[0] ?? "", [...node.slice(1), `cat ${key} file; echo gone > /dev/null`], {
			env: { ...process.env, ...env },
			encoding: "utf8",
		});
	expect(run({})).toContain("a secret\nof the project\n");
	const named = { AWS_SHARED_CREDENTIALS_FILE: key, CODEX_HOME: tree, HISTFILE: "/dev/null" };
	expect(run(named)).toBe("of the project\n");
});

test("commands that run side by side each have the whole filter", async () => {
	const { ring } = await openRing();
	const socket = "import socket; socket.socket(socket.AF_UNIX)";
	const outputs = await Promise.all(Array.from({ length: 4 }, () => said(ring, `python3 -c '${socket}'`)));
	for (const { output } of outputs) expect(output).toContain("Operation not permitted");
});

test("a place of the machine needs no hiding if the user cannot look into it anyway", () => {
	const stats = statSync(import.meta.filename);
	const place = (uid: number, mode: number) => ({
		path: import.meta.filename,
		stats: Object.assign(Object.create(Object.getPrototypeOf(stats)), stats, { uid, mode }) as typeof stats,
	});
	const another = (process.getuid?.() ?? 0) + 1;
	expect(isOpenToUs(place(another, 0o100600))).toBe(false);
	expect(isOpenToUs(place(another, 0o100640))).toBe(true);
	expect(isOpenToUs(place(another, 0o100604))).toBe(true);
	expect(isOpenToUs(place(process.getuid?.() ?? 0, 0o100000))).toBe(true);
});

test.each([
	["nothing", []],
	["empty folders", ["mkdir -p /tmp/a/b /tmp/c"]],
	["files", ["echo x > /tmp/file; ln -s / /tmp/link"]],
	["many folders", ["mkdir -p /tmp/{1..9}/{1..9}"]],
	["a folder that it has closed", ["mkdir -p /tmp/a/b; chmod 0 /tmp/a"]],
])("what a run leaves is removed: %s", async (_what, commands) => {
	const { ring, outside } = await openRing();
	for (const command of commands) expect((await said(ring, command)).exitCode).toBe(0);
	const { scratch } = ring.setup;
	writeFileSync(join(scratch, "search.sh"), "");
	await removeScratch(scratch);
	expect(statSync(scratch, { throwIfNoEntry: false })).toBeUndefined();
	expect(statSync(outside).isDirectory()).toBe(true);
	await removeScratch(scratch);
});
