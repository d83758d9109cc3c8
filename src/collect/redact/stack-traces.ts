const LONGEST = 12;
const FIRST = 8;
const LAST = 2;

// Node, Java, C#: `    at f (file:1:2)`. Python: a File line and up to three lines of source and markers.
const LINE = String.raw`[^\r\n]*(?:\r?\n|$)`;
const FRAMES = [
	String.raw`^[ \t]{1,40}at [^\s]${LINE}`,
	String.raw`^[ \t]{1,40}File "[^"\r\n]*", line \d+${LINE}(?:(?![ \t]*File ")[ \t]+${LINE}){0,3}`,
].map((frame) => ({ one: new RegExp(frame, "gm"), run: new RegExp(`(?:${frame}){${LONGEST + 1},}`, "gm") }));

/** Leaves out the middle of stack traces that are too long to be read. */
export function shortenStackTraces(text: string): string {
	let shortened = text;
	for (const { one, run } of FRAMES) shortened = shortened.replace(run, (frames) => shorten(frames.match(one) ?? []));
	return shortened;
}

function shorten(frames: string[]): string {
	const indent = /^[ \t]*/.exec(frames[0] ?? "")?.[0] ?? "";
	const left = `${indent}… ${frames.length - FIRST - LAST} frames left out …\n`;
	return [...frames.slice(0, FIRST), left, ...frames.slice(-LAST)].join("");
}
