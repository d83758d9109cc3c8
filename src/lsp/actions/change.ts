import type { CodeAction, Command, Range, WorkspaceEdit } from "vscode-languageserver-protocol";
import { present } from "../edit/apply.ts";
import { overlaps, toPosition } from "../positions.ts";
import { hasExtension } from "../project-files.ts";
import { projectsMentioning, someOf } from "../projects.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { ServerLaunch } from "../server/launch.ts";
import type { LspSession } from "../session.ts";
import { atTarget, type Target } from "../target.ts";
import { wordAt } from "../words.ts";
import { diagnosticsOf } from "./diagnostics.ts";

export function rename(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	const { newName } = request;
	if (!newName) throw new Error("`rename` needs a `newName`.");
	return atTarget(session, request, async (target) => {
		const { server, uri, position } = target;
		const params = { textDocument: { uri }, position, newName };
		const edit = await server.request<WorkspaceEdit | null>("textDocument/rename", params, session.signal);
		await noteOtherProjects(session, target);
		return present(session, { edit: edit ?? {}, server, title: `Renaming to ${newName}` });
	});
}

/** One server renames in one project, so this notes the files of other projects that mention the name. */
async function noteOtherProjects(session: LspSession, { server, place, lines, path }: Target): Promise<void> {
	const name = wordAt(lines[place.line - 1] ?? "", place.column);
	if (name === undefined) return;
	const isWanted = ({ definition, root }: ServerLaunch) =>
		root !== server.launch.root && hasExtension(definition.languages)(path);
	const { mentions } = await projectsMentioning(session, name, { isWanted });
	const files = mentions.flatMap(({ file, inCode }) => (inCode ? [file] : []));
	if (files.length > 0)
		session.notes.add(`${name} also occurs in other projects, unchanged: ${someOf(session, files)}.`);
}

/** Lists the code actions for a range; with the title of one as `query`, shows or makes its edit. */
export function codeAction(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	const { query, ...place } = request;
	if (place.file === undefined || place.line === undefined) throw new Error("`codeAction` needs `file` and `line`.");
	return atTarget(session, place, async (target) => {
		const offered = await offeredAt(session, target, request);
		if (!query) return listing(offered);
		const chosen = choose(offered, query);
		const { server } = target;
		const resolved = chosen.edit
			? chosen
			: await server.request<CodeAction>("codeAction/resolve", chosen, session.signal);
		if (resolved?.edit) return present(session, { edit: resolved.edit, server, title: chosen.title });
		throw new Error(`"${chosen.title}" is a command of the server, not an edit, and cannot be used here.`);
	});
}

async function offeredAt(session: LspSession, target: Target, request: LspRequest): Promise<CodeAction[]> {
	const { server, path, uri } = target;
	const range = rangeOf(target, request);
	const known = (await diagnosticsOf(server, path, { signal: session.signal })) ?? [];
	const context = { diagnostics: known.filter((item) => overlaps(item.range, range)) };
	const answer = await server.request<(CodeAction | Command)[] | null>(
		"textDocument/codeAction",
		{ textDocument: { uri }, range, context },
		session.signal,
	);
	return (answer ?? []).map((item) =>
		typeof item.command === "string" ? { title: item.title } : (item as CodeAction),
	);
}

/** Up to the given end, or the end of the line. */
function rangeOf({ position, lines, server }: Target, { line = 1, endLine = line, endColumn }: LspRequest): Range {
	const text = lines[endLine - 1];
	if (text === undefined) throw new Error(`There is no line ${endLine}: the file has ${lines.length} lines.`);
	return {
		start: position,
		end: toPosition({ line: endLine, column: endColumn ?? text.length + 1 }, text, server.encoding),
	};
}

function choose(offered: CodeAction[], title: string): CodeAction {
	const matching = offered.filter((action) => action.title === title);
	const [only, second] = matching.length > 0 ? matching : offered.filter((action) => action.title.includes(title));
	if (only && !second) return only;
	throw new Error(
		`${only ? "Several code actions match" : "No code action matches"} ${title}. ${listing(offered).text}`,
	);
}

function listing(offered: CodeAction[]): LspAnswer {
	const actions = offered.map(({ title, kind }) => ({ title, ...(kind !== undefined && { kind }) }));
	const lines = actions.map(({ title, kind }) => `- ${title}${kind ? ` (${kind})` : ""}`);
	return {
		text: lines.length > 0 ? `Give one of these titles as \`query\`:\n${lines.join("\n")}` : "No code actions here.",
		details: { actions },
	};
}
