import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import { type Diagnostic, formatDiagnostic } from "../run/diagnostic.ts";

/** More would bury the session under one bad folder. */
const SHOWN = 5;

/** Tells the user what is wrong in the files they wrote: on the screen, or on stderr where there is none. */
export function reportDiagnostics(ctx: ExtensionContext, diagnostics: Diagnostic[]): void {
	if (diagnostics.length === 0) return;
	const more = diagnostics.length - SHOWN;
	const lines = [
		// They quote the files, which may hold anything.
		...diagnostics.slice(0, SHOWN).map((diagnostic) => inOneLine(formatDiagnostic(diagnostic))),
		...(more > 0 ? [`…and ${more} more problems in agent files and pi-geon.json`] : []),
	];
	const text = `pi-geon: ${lines.join("\npi-geon: ")}`;
	if (ctx.hasUI) ctx.ui.notify(text, diagnostics.some(({ severity }) => severity === "error") ? "error" : "warning");
	else process.stderr.write(`${text}\n`);
}
