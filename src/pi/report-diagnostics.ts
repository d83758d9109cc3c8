import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import { plural } from "../run/amounts.ts";
import { type Diagnostic, formatDiagnostic } from "../run/diagnostic.ts";

/** With more, one bad folder would bury the session. */
const DIAGNOSTICS_SHOWN = 5;

/** Tells the user about problems in their files: on the screen, or on stderr if there is none. */
export function reportDiagnostics(ctx: ExtensionContext, diagnostics: Diagnostic[]): void {
	if (diagnostics.length === 0) return;
	const errors = diagnostics.filter(({ severity }) => severity === "error");
	const warnings = diagnostics.filter(({ severity }) => severity !== "error");
	const more = diagnostics.length - DIAGNOSTICS_SHOWN;
	const lines = [
		// They quote the files, which may contain anything.
		...[...errors, ...warnings]
			.slice(0, DIAGNOSTICS_SHOWN)
			.map((diagnostic) => inOneLine(formatDiagnostic(diagnostic))),
		...(more > 0
			? [`…and ${plural(more, "more problem")} in agent files and pi-geon.json; /toolkit doctor shows all`]
			: []),
	];
	const text = `pi-geon: ${lines.join("\npi-geon: ")}`;
	if (ctx.hasUI) ctx.ui.notify(text, errors.length > 0 ? "error" : "warning");
	else process.stderr.write(`${text}\n`);
}
