import { type Diagnostic, positionOf } from "../../run/diagnostic.ts";
import type { Finding } from "./check.ts";

/** A problem in a file that the user wrote. */
export function problemOf({ severity, key, message, remedy, ...place }: Diagnostic): Finding {
	return {
		level: severity === "error" ? "fail" : "warn",
		what: key === undefined ? message : `${key}: ${message}`,
		detail: positionOf(place),
		remedy,
	};
}
