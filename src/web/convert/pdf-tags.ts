import { fenced } from "./fence.ts";
import { markdownTable } from "./markdown-table.ts";
import type { PdfPage } from "./pdf-page.ts";

type Tree = Awaited<ReturnType<PdfPage["getStructTree"]>>;
interface TagNode {
	role: string;
	alt?: string;
	children: readonly (TagNode | { type: string; id: string })[];
}

/** Only a malicious file nests deeper. */
const DEEPEST_TAG = 100;

/** The text of a page by the tags of the file: headings, lists, tables. Empty if it has none. */
export function taggedBlocks(tree: Tree | null, byTag: ReadonlyMap<string, string>): string {
	if (!tree) return "";
	const textOf = (node: TagNode, depth = 0): string =>
		node.children
			.map((child) =>
				"role" in child ? (depth < DEEPEST_TAG ? textOf(child, depth + 1) : "") : (byTag.get(child.id) ?? ""),
			)
			.join("");
	const blocksOf = (node: TagNode, depth: number): string[] => {
		const line = () => textOf(node).replace(/\s+/g, " ").trim();
		const level = /^H([1-6])?$/.exec(node.role);
		if (depth > DEEPEST_TAG) return [line()];
		if (level) return [line() === "" ? "" : `${"#".repeat(Number(level[1] ?? 2))} ${line()}`];
		if (node.role === "Table") return [tableOf(node, textOf)];
		if (node.role === "LI") return [`- ${line()}`];
		if (node.role === "Code") return [textOf(node).trim() === "" ? "" : fenced(textOf(node))];
		if (node.role === "Figure" && node.alt) return [`(image: ${node.alt})`, line()];
		const nodes = node.children.filter((child): child is TagNode => "role" in child);
		const isBlock = nodes.length > 0 && nodes.length === node.children.length && node.role !== "P";
		return isBlock ? nodes.flatMap((child) => blocksOf(child, depth + 1)) : [line()];
	};
	return blocksOf(tree as TagNode, 0)
		.filter((block) => block.trim() !== "" && block !== "- ")
		.join("\n\n")
		.replace(/^(- .*)\n\n(?=- )/gm, "$1\n");
}

function tableOf(table: TagNode, textOf: (node: TagNode) => string): string {
	const isNode = (child: TagNode["children"][number]): child is TagNode => "role" in child;
	const rows = table.children
		.filter(isNode)
		.flatMap((child) => (child.role === "TR" ? [child] : child.children.filter(isNode)));
	return markdownTable(rows.map((row) => row.children.filter(isNode).map((cell) => textOf(cell).replace(/\s+/g, " "))));
}
