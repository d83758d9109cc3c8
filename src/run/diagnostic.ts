/** Something wrong in a file the user wrote, said so that they can mend it without reading our code. */
export interface Diagnostic {
	/** error: the file or value is not used; warning: it is used, but something in it is not. */
	severity: "error" | "warning";
	file: string;
	/** 1-based, where known. */
	line?: number;
	column?: number;
	/** The key the message is about, as a dotted path. */
	key?: string;
	message: string;
	remedy: string;
}

export function formatDiagnostic(diagnostic: Diagnostic): string {
	const position = [diagnostic.file, diagnostic.line, diagnostic.column].filter((part) => part !== undefined).join(":");
	const key = diagnostic.key === undefined ? "" : ` ${diagnostic.key}:`;
	return `${diagnostic.severity}: ${position}:${key} ${diagnostic.message} ${diagnostic.remedy}`;
}
