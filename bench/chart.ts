import { machineInWords } from "./machine.ts";
import type { Figure, PeerFigures, PeersResult } from "./measure-peers.ts";
import { KINDS, shown } from "./peers-table.ts";

/** What the chart shows, of all that is measured. */
const SHOWN: readonly Figure[] = ["later", "first", "oneShotSlow", "fanOut", "startUp", "prompt"];

const WIDTH = 760;
const MARGIN = 16;
const NAME_WIDTH = 190;
const VALUE_WIDTH = 80;
const BAR = 16;
const ROW = 22;
const TITLE = 30;

/** Bars for each figure, the shorter the better. Readable on a light and on a dark page. */
export function chartOf({ machine, packages }: PeersResult): string {
	const compared = packages.filter(({ name, failure }) => failure === undefined && !name.startsWith("limit:"));
	const panel = TITLE + compared.length * ROW + 10;
	const height = MARGIN * 2 + 24 + SHOWN.length * panel + 24;
	const panels = SHOWN.map((figure, index) => panelOf(figure, compared, MARGIN + 24 + index * panel));
	const versions = compared.map(({ name, version }) => `${name} ${version}`).join(", ");
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="Speed side by side">`,
		"<style>text{font:13px system-ui,sans-serif;fill:#57606a}.title{font-weight:600;fill:#24292f}.ours{fill:#2f81f7}.other{fill:#8c959f}",
		"@media(prefers-color-scheme:dark){text{fill:#9da7b1}.title{fill:#e6edf3}}</style>",
		`<text class="title" x="${MARGIN}" y="${MARGIN + 10}">Shorter is better</text>`,
		...panels,
		`<text x="${MARGIN}" y="${height - MARGIN - 14}" style="font-size:11px">${escaped(versions)}</text>`,
		`<text x="${MARGIN}" y="${height - MARGIN + 2}" style="font-size:11px">${escaped(machineInWords(machine))}</text>`,
		"</svg>\n",
	].join("\n");
}

function panelOf(figure: Figure, packages: readonly PeerFigures[], top: number): string {
	const values = packages.map(({ figures }) => figures[figure]);
	const most = Math.max(...values.filter((value) => typeof value === "number"), Number.EPSILON);
	const room = WIDTH - 2 * MARGIN - NAME_WIDTH - VALUE_WIDTH;
	const rows = packages.map(({ name }, index) => {
		const value = values[index];
		const y = top + TITLE + index * ROW;
		const length = typeof value === "number" ? Math.max((value / most) * room, 1) : 0;
		const kind = index === 0 ? "ours" : "other";
		const x = MARGIN + NAME_WIDTH;
		return [
			`<text x="${MARGIN}" y="${y + 12}">${escaped(name)}</text>`,
			`<rect class="${kind}" x="${x}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
			`<text x="${(x + length + 6).toFixed(1)}" y="${y + 12}">${escaped(shown(figure, value) || "not measured")}</text>`,
		].join("");
	});
	const title = KINDS[figure].title.replaceAll("`", "");
	return [`<text class="title" x="${MARGIN}" y="${top + 20}">${escaped(title)}</text>`, ...rows].join("\n");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
