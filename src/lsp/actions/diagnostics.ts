import type { Diagnostic, DocumentDiagnosticReport } from "vscode-languageserver-protocol";
import { plural } from "../../run/amounts.ts";
import { atPlace, byPlace, type FoundLocation, LocationReader } from "../locations.ts";
import { byProject, projectsOf, type ServerProject } from "../projects.ts";
import { readProject } from "../readiness.ts";
import { type LspAnswer, type LspRequest, SEVERITIES } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import { type LspSession, launchFor, withServer } from "../session.ts";

const MOST_DIAGNOSTICS = 200;
const MOST_FILES_CHECKED = 64;
/** The limit for a whole workspace: the number of files that can be checked while the caller waits. */
const MOST_WORKSPACE_FILES = 200;
const WORKSPACE_MS = 30_000;
const FILES_AT_ONCE = 32;

interface FoundDiagnostic extends FoundLocation {
	severity: (typeof SEVERITIES)[number];
	message: string;
	code?: string;
	source?: string;
}

interface Checked {
	findings: FoundDiagnostic[];
	/** Files that their server did not report on in time. */
	silent: string[];
	files: number;
}

export async function diagnostics(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	const { file, files = [], server } = request;
	const asked = file === undefined ? files : [file, ...files];
	if (asked.length === 0) throw new Error("`diagnostics` needs `file` or `files`; `workspace-diagnostics` needs none.");
	if (asked.length > MOST_FILES_CHECKED)
		throw new Error(`At most ${MOST_FILES_CHECKED} files at once, not ${asked.length}.`);
	const paths = [...new Set(asked.map((one) => session.workspace.file(one)))];
	const projects = byProject(paths, (path) => launchFor(session, path, server));
	return report(request, await checkProjects(session, projects, Number.POSITIVE_INFINITY), paths.length);
}

export async function workspaceDiagnostics(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	const { projects, left } = await projectsOf(session, session.workspace.cwd, request.server);
	const total = [...projects, ...left].reduce((sum, { files }) => sum + files.length, 0);
	const each = Math.ceil(MOST_WORKSPACE_FILES / projects.length);
	const some = projects.map(({ launch, files }) => ({ launch, files: files.slice(0, each) }));
	return report(request, await checkProjects(session, some, performance.now() + WORKSPACE_MS), total);
}

async function checkProjects(session: LspSession, projects: ServerProject[], deadline: number): Promise<Checked[]> {
	const reader = new LocationReader(session.workspace);
	return Promise.all(
		projects.map(({ launch, files }) =>
			withServer(session, launch, async (server) => {
				const checked: Checked = { findings: [], silent: [], files: 0 };
				await readProject(session, server, files.slice(0, 1));
				for (const [index, path] of files.entries()) {
					if (performance.now() > deadline) break;
					// Ask about many at once, so that servers that publish on their own do so while we wait for others.
					if (index % FILES_AT_ONCE === 0)
						for (const next of files.slice(index, index + FILES_AT_ONCE)) server.documents.open(next);
					const items = await diagnosticsOf(server, path, { signal: session.signal });
					const { uri } = server.documents.open(path);
					if (!items) checked.silent.push(session.workspace.show(path));
					checked.findings.push(
						...(items ?? []).map((item) => finding(item, reader.read({ uri, ...item }, server.encoding))),
					);
					checked.files++;
				}
				return checked;
			}),
		),
	);
}

/** Requests diagnostics if the server supports that, otherwise waits for them. Undefined if there is no answer. */
export async function diagnosticsOf(
	server: LanguageServer,
	path: string,
	{ signal, ms }: { signal?: AbortSignal | undefined; ms?: number } = {},
): Promise<Diagnostic[] | undefined> {
	const { uri } = server.documents.open(path);
	if (!server.capabilities.diagnosticProvider) return server.diagnostics.settled(path, signal, ms);
	const params = { textDocument: { uri } };
	const report = await server.request<DocumentDiagnosticReport>("textDocument/diagnostic", params, signal);
	return report?.kind === "full" ? report.items : [];
}

function finding({ severity, message, code, source }: Diagnostic, location: FoundLocation): FoundDiagnostic {
	return {
		...location,
		severity: SEVERITIES[(severity ?? 1) - 1] ?? "error",
		message: (typeof message === "string" ? message : message.value).replaceAll(/\s*\n\s*/g, " "),
		...(code !== undefined && { code: String(code) }),
		...(source !== undefined && { source }),
	};
}

function report({ severity = "information" }: LspRequest, parts: Checked[], asked: number): LspAnswer {
	const wanted = SEVERITIES.slice(0, SEVERITIES.indexOf(severity) + 1);
	const found = parts.flatMap(({ findings }) => findings).filter((item) => wanted.includes(item.severity));
	const silent = parts.flatMap((part) => part.silent);
	const files = parts.reduce((sum, part) => sum + part.files, 0);
	const all = byPlace(found);
	const shown = all.slice(0, MOST_DIAGNOSTICS);
	const counted = wanted.map((name) => plural(all.filter((item) => item.severity === name).length, name));
	const summary = counted.filter((part) => !part.startsWith("0 ")).join(", ") || "No problems";
	const lines = shown.map((item) => {
		const origin = [item.source, item.code].filter((part) => part !== undefined).join(" ");
		return `${atPlace(item)} ${item.severity}: ${item.message}${origin === "" ? "" : ` [${origin}]`}`;
	});
	if (shown.length < all.length) lines.push(`… the first ${shown.length} of ${all.length}.`);
	if (files < asked) lines.push(`Only ${files} of ${asked} files were checked.`);
	if (silent.length > 0) lines.push(`There was no answer in time about ${silent.join(", ")}: unknown, not clean.`);
	return {
		text: [`${summary} in ${plural(files, "file")}.`, ...lines].join("\n"),
		details: { diagnostics: shown, total: all.length, checked: files, files: asked, silent },
	};
}
