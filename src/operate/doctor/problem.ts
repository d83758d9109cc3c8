import type { Diagnostic } from "../../run/diagnostic.ts";
import type { Finding } from "./check.ts";

/** What is wrong in a file that the user wrote. */
export function problemOf({ severity, file, line, column, key, message, remedy }: Diagnostic): Finding {
	const position = [file, line, column].filter((part) => part !== undefined).join(":");
	return {
		level: severity === "error" ? "fail" : "warn",
		what: key === undefined ? message : `${key}: ${message}`,
		detail: position,
		remedy,
	};
}
