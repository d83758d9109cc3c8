// Draws what a terminal shows as SVG: one element for each stretch of cells that look the same.

const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 18;
const MARGIN = 14;
const BACKGROUND = "#16181d";
const FOREGROUND = "#d6d8dd";
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
/** The first sixteen colours are the terminal's to choose. */
const ANSI =
	"#1d1f24 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 #5c6370 #ef8891 #b1d196 #f0d399 #85c4f5 #d69ae6 #7bccd6 #ffffff".split(
		" ",
	);

/** The picture of the visible rows of an xterm terminal, without those before `from` and the empty ones at the end. */
export function terminalSvg(terminal, { label, from = 0 }) {
	const rows = visibleRows(terminal).slice(from).map(drawRow);
	return svg(
		{ label, cols: terminal.cols, rows: rows.length },
		placed(rows, (row) => row),
	);
}

/** What a terminal shows at one moment of a movie, without the rows before `from`. */
export const frameOf = (terminal, from) => ({
	cols: terminal.cols,
	rows: visibleRows(terminal).slice(from).map(drawRow),
});

/**
 * A moving picture: frames with the second at which each begins. It starts again at `seconds`. The frames stand side by side,
 * and the strip moves. A row that several frames show is drawn once. A reader who wants no motion sees the last frame.
 */
export function movieSvg(frames, { label, seconds }) {
	const rows = new Map([...new Set(frames.flatMap((frame) => frame.rows))].map((row, index) => [row, `r${index}`]));
	const width = widthOf(frames[0].cols);
	const at = (index) => `transform:translateX(${-index * width}px)`;
	const steps = frames.map((frame, index) => `${Math.round((1e5 * frame.at) / seconds) / 1e3}%{${at(index)}}`);
	return svg({ label, cols: frames[0].cols, rows: Math.max(...frames.map((frame) => frame.rows.length)) }, [
		`<style>@keyframes strip{${steps.join("")}to{${at(frames.length - 1)}}}`,
		`.strip{animation:strip ${seconds}s step-end infinite}`,
		`@media(prefers-reduced-motion){.strip{animation:none;${at(frames.length - 1)}}}</style>`,
		"<defs>",
		...[...rows].map(([row, id]) => `<g id="${id}">${row}</g>`),
		"</defs>",
		'<g class="strip">',
		...frames.flatMap((frame, index) => [
			`<g transform="translate(${index * width} 0)">`,
			...placed(frame.rows, (row) => `<use href="#${rows.get(row)}"/>`),
			"</g>",
		]),
		"</g>",
	]);
}

/** What a picture says, row by row; of a moving one, its last frame. */
export function wordsOf(svg) {
	const rows = new Map([...svg.matchAll(/^<g id="(\w+)">(.*)<\/g>$/gm)].map(([, id, row]) => [id, row]));
	const lastFrame = svg.slice(svg.lastIndexOf(' 0)">\n'));
	const drawn = rows.size === 0 ? svg : lastFrame.replaceAll(/<use href="#(\w+)"\/>/g, (_, id) => rows.get(id));
	return [...drawn.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => unescaped(words)).join(" ");
}

const widthOf = (cols) => Math.ceil(cols * CELL_WIDTH + 2 * MARGIN);

function svg({ label, cols, rows }, drawn) {
	const width = widthOf(cols);
	const height = rows * CELL_HEIGHT + 2 * MARGIN;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
		`<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
		`<g font-family="${FONT}" font-size="14" fill="${FOREGROUND}">`,
		...drawn,
		"</g>",
		"</svg>",
		"",
	].join("\n");
}

const placed = (rows, draw) =>
	rows.flatMap((row, y) => (row ? [`<g transform="translate(0 ${MARGIN + y * CELL_HEIGHT})">${draw(row)}</g>`] : []));

const drawRow = (cells) =>
	[
		...stretches(cells, ({ back }) => back).flatMap(drawBack),
		...stretches(cells, ({ front, style }) => `${front}${style}`)
			.flatMap(words)
			.map(drawText),
	].join("");

function visibleRows({ buffer: { active }, rows }) {
	const all = Array.from({ length: rows }, (_, y) => cellsOf(active.getLine(active.viewportY + y)));
	return all.slice(0, all.findLastIndex((cells) => cells.some(({ text }) => text.trim() !== "")) + 1);
}

function cellsOf(line) {
	const cells = [];
	for (let x = 0; x < (line?.length ?? 0); x++) {
		const cell = line.getCell(x);
		// The second half of a wide character has no width of its own.
		if (cell && cell.getWidth() > 0)
			cells.push({ x, width: cell.getWidth(), text: cell.getChars() || " ", ...lookOf(cell) });
	}
	return cells;
}

function lookOf(cell) {
	const front = colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor());
	const back = colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
	const inverse = cell.isInverse() !== 0;
	return {
		front: inverse ? (back ?? BACKGROUND) : front,
		back: inverse ? (front ?? FOREGROUND) : back,
		style: [
			cell.isBold() ? ' font-weight="bold"' : "",
			cell.isItalic() ? ' font-style="italic"' : "",
			cell.isUnderline() ? ' text-decoration="underline"' : "",
			cell.isDim() ? ' opacity="0.6"' : "",
		].join(""),
	};
}

function colour(isRgb, isPalette, value) {
	if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
	if (!isPalette) return undefined;
	if (value < 16) return ANSI[value];
	const levels = value < 232 ? cube(value - 16) : Array(3).fill(8 + 10 * (value - 232));
	return `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
}

const cube = (index) =>
	[Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => (step === 0 ? 0 : 55 + 40 * step));

/** Neighbouring cells that look the same in one respect, as one. */
function stretches(cells, look) {
	const joined = [];
	for (const cell of cells) {
		const last = joined.at(-1);
		if (last && look(last) === look(cell)) {
			last.text += cell.text;
			last.width += cell.width;
		} else joined.push({ ...cell });
	}
	return joined;
}

function drawBack({ x, width, back }) {
	if (back === undefined) return [];
	const at = `x="${round(MARGIN + x * CELL_WIDTH)}"`;
	return [`<rect ${at} width="${round(width * CELL_WIDTH)}" height="${CELL_HEIGHT}" fill="${back}"/>`];
}

/** The parts of a stretch between gaps: a browser draws one space where the terminal has many. */
function words({ x, width, text, ...look }) {
	// The width of a wide character is that of two; with one of them in it, the stretch is drawn in one piece.
	if (text.length !== width) return text.trim() === "" ? [] : [{ x, width, text, ...look }];
	return [...text.matchAll(/\S+(?: \S+)*/g)].map((match) => ({
		...look,
		x: x + match.index,
		width: match[0].length,
		text: match[0],
	}));
}

function drawText({ x, width, text, front, style }) {
	const at = `x="${round(MARGIN + x * CELL_WIDTH)}" y="13"`;
	// The length is given, so that columns stay aligned whichever font the reader has.
	const fill = front === undefined ? "" : ` fill="${front}"`;
	return `<text ${at} textLength="${round(width * CELL_WIDTH)}"${fill}${style}>${escaped(text)}</text>`;
}

const round = (length) => Math.round(length * 10) / 10;

const escaped = (text) =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const unescaped = (text) =>
	text.replaceAll("&quot;", '"').replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
