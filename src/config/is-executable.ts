import { accessSync, constants, statSync } from "node:fs";

/** Whether a program exists that this user may start. */
export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}
