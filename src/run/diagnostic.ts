/** Something wrong in a file the user wrote, described so that they can fix it without reading our code. */
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

export const formatDiagnostic = (diagnostic: Diagnostic): string =>
	`${diagnostic.severity}: ${whereAndWhat(diagnostic)} ${diagnostic.remedy}`;

/** Without the remedy, for callers that do something else about the problem. */
export function whereAndWhat({ key, message, ...place }: Diagnostic): string {
	return `${positionOf(place)}:${key === undefined ? "" : ` ${key}:`} ${message}`;
}

/** agents/mine.md:3:1 */
export const positionOf = ({ file, line, column }: Pick<Diagnostic, "file" | "line" | "column">): string =>
	[file, line, column].filter((part) => part !== undefined).join(":");
