const MOST_FRAMES = 12;
const FIRST = 8;
const LAST = 2;

/** The shape of the lines of one frame. Every expression is tried at the beginning of a line and reads it once. */
interface Style {
	head: RegExp;
	/** The lines that may follow the head, with their minimum and maximum number. */
	more?: RegExp;
	least?: number;
	most?: number;
}

const STYLES: Style[] = [
	// Node, Java, .NET: `    at f (file:1:2)`.
	{ head: /^[ \t]{1,40}at \S/ },
	// Python: a File line, and lines of source and markers.
	{ head: /^[ \t]{1,40}File "[^"]*", line \d/, more: /^[ \t](?![ \t]*File ")/, most: 3 },
	// Ruby: `	from file.rb:1:in 'f'`.
	{ head: /^[ \t]{1,40}from \S+:\d+:in / },
	// Go: `main.f(0x2a)` and `	/src/main.go:12 +0x1d`.
	{ head: /^\S.*\)\r?$/, more: /^\t\S+\.go:\d/, least: 1, most: 1 },
	// Rust: `   3: app::f` and `             at ./src/main.rs:1:2`. A number and a colon alone may be any list.
	{ head: /^[ \t]{0,10}\d{1,4}: \S/, more: /^[ \t]{1,40}at \S/, least: 1, most: 1 },
];
const MAY_HOLD_FRAMES = /^[ \t]{1,40}(?:at |File "|from |\S+\.go:\d)/m;

/**
 * Leaves out the middle of stack traces that are too long to read. It works line by line, because one expression for a
 * whole trace can divide the lines among the frames in very many ways, and tries all of them.
 */
export function shortenStackTraces(text: string): string {
	if (!MAY_HOLD_FRAMES.test(text)) return text;
	let lines = text.split("\n");
	for (const style of STYLES) lines = shortenedIn(lines, style);
	return lines.join("\n");
}

function shortenedIn(lines: string[], style: Style): string[] {
	const output: string[] = [];
	for (let at = 0; at < lines.length; ) {
		const { starts, end } = framesAt(lines, at, style);
		// A loop, because the arguments of one call are limited in number.
		for (const line of shortTrace(lines, starts, Math.max(end, at + 1))) output.push(line);
		at = Math.max(end, at + 1);
	}
	return output;
}

/** Where consecutive frames begin from a line on, and where the last of them ends. */
function framesAt(lines: string[], from: number, style: Style): { starts: number[]; end: number } {
	const starts: number[] = [];
	let end = from;
	for (let next = endOfFrame(lines, end, style); next !== undefined; next = endOfFrame(lines, end, style)) {
		starts.push(end);
		end = next;
	}
	return starts.length === 0 ? { starts: [from], end } : { starts, end };
}

function endOfFrame(lines: string[], at: number, { head, more, least = 0, most = 0 }: Style): number | undefined {
	if (!head.test(lines[at] ?? "")) return undefined;
	let end = at + 1;
	while (end <= at + most && more?.test(lines[end] ?? "") === true) end += 1;
	return end - at - 1 < least ? undefined : end;
}

function shortTrace(lines: string[], starts: number[], end: number): string[] {
	const [from = 0] = starts;
	if (starts.length <= MOST_FRAMES) return lines.slice(from, end);
	const indent = /^[ \t]*/.exec(lines[from] ?? "")?.[0] ?? "";
	const left = `${indent}… ${starts.length - FIRST - LAST} frames left out …`;
	return [...lines.slice(from, starts[FIRST]), left, ...lines.slice(starts.at(-LAST), end)];
}
