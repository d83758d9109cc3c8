import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepareSocketFolder, requireOwnFolder } from "../../src/ledger/places.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

/** As in a temporary directory that all users share. */
const sharedFolder = () => join(scratch.folder(), `pi-geon-${userInfo().uid}`);

describe.skipIf(process.platform === "win32")("the folder of a socket", () => {
	test("is made for the user alone, and closed to others if it was open", () => {
		const folder = sharedFolder();
		prepareSocketFolder(join(folder, "a.sock"));
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		chmodSync(folder, 0o777);
		prepareSocketFolder(join(folder, "a.sock"));
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		expect(() => requireOwnFolder(folder)).not.toThrow();
	});

	test("does not belong to another user, who could listen there in our place", () => {
		const folder = sharedFolder();
		mkdirSync(join(folder, "..", "theirs"));
		symlinkSync(join(folder, "..", "theirs"), folder);
		expect(() => requireOwnFolder(folder)).toThrow(/belongs to another user or is not a folder/);
		expect(() => prepareSocketFolder(join(folder, "a.sock"))).toThrow(/XDG_RUNTIME_DIR/);
	});

	test.skipIf(userInfo().uid !== 0)("is not one that another user has made before us", () => {
		const folder = sharedFolder();
		mkdirSync(folder, { mode: 0o777 });
		chownSync(folder, 12345, 12345);
		expect(() => prepareSocketFolder(join(folder, "a.sock"))).toThrow(folder);
	});
});
