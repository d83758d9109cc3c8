import type { Diagnostic, DocumentDiagnosticReport } from "vscode-languageserver-protocol";
import { at, type FoundLocation, inOrder, LocationReader } from "../locations.ts";
import { type Project, projectsOf } from "../projects.ts";
import { type Answer, type LspRequest, SEVERITIES } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import { type LspSession, launchFor, withServer } from "../session.ts";

const MOST_DIAGNOSTICS = 200;
const MOST_FILES = 64;
/** Of a whole workspace: what can be looked at while somebody waits. */
const MOST_WORKSPACE_FILES = 200;
const WORKSPACE_MS = 30_000;

interface Finding extends FoundLocation {
	severity: (typeof SEVERITIES)[number];
	message: string;
	code?: string;
	source?: string;
}

interface Findings {
	findings: Finding[];
	/** Files their server said nothing about in time. */
	silent: string[];
	/** Whether all that was asked for was looked at. */
	checked: number;
	asked: number;
}

export async function diagnostics(session: LspSession, request: LspRequest): Promise<Answer> {
	const asked = [...(request.file === undefined ? [] : [request.file]), ...(request.files ?? [])];
	if (asked.length === 0)
		throw new Error("`diagnostics` needs a `file` or `files`; `workspace-diagnostics` needs none.");
	if (asked.length > MOST_FILES) throw new Error(`At most ${MOST_FILES} files at once, not ${asked.length}.`);
	const paths = [...new Set(asked.map((file) => session.workspace.file(file)))];
	const projects = new Map<string, Project>();
	for (const path of paths) {
		const launch = launchFor(session, path, request.server);
		const key = `${launch.definition.name} ${launch.root}`;
		const project = projects.get(key) ?? { launch, files: [] };
		project.files.push(path);
		projects.set(key, project);
	}
	return answer(session, request, await check(session, [...projects.values()]));
}

export async function workspaceDiagnostics(session: LspSession, request: LspRequest): Promise<Answer> {
	const projects = await projectsOf(session, request.server);
	let left = MOST_WORKSPACE_FILES;
	const some = projects.flatMap(({ launch, files }) => {
		const taken = files.slice(0, left);
		left -= taken.length;
		return taken.length > 0 ? [{ launch, files: taken }] : [];
	});
	const asked = projects.reduce((sum, { files }) => sum + files.length, 0);
	return answer(session, request, { ...(await check(session, some, WORKSPACE_MS)), asked });
}

async function check(session: LspSession, projects: Project[], ms = Number.POSITIVE_INFINITY): Promise<Findings> {
	const reader = new LocationReader(session.workspace);
	const deadline = performance.now() + ms;
	const result: Findings = { findings: [], silent: [], checked: 0, asked: 0 };
	for (const { launch, files } of projects) {
		result.asked += files.length;
		await withServer(session, launch, async (server) => {
			for (const path of files) {
				if (performance.now() > deadline) return;
				const items = await diagnosticsOf(server, path, session.signal);
				if (items) result.findings.push(...items.map((item) => finding(item, { path, reader, server })));
				else result.silent.push(session.workspace.show(path));
				result.checked++;
			}
		});
	}
	return result;
}

/** Asked for where the server can be asked, else awaited. Nothing, if it says nothing. */
export async function diagnosticsOf(
	server: LanguageServer,
	path: string,
	signal?: AbortSignal,
): Promise<Diagnostic[] | undefined> {
	const { uri } = server.documents.open(path);
	if (!server.capabilities.diagnosticProvider) return server.diagnostics.settled(path, signal);
	const params = { textDocument: { uri } };
	const report = await server.request<DocumentDiagnosticReport>("textDocument/diagnostic", params, signal);
	return report?.kind === "full" ? report.items : [];
}

function finding(
	{ range, severity, message, code, source }: Diagnostic,
	{ path, reader, server }: { path: string; reader: LocationReader; server: LanguageServer },
): Finding {
	const { uri } = server.documents.open(path);
	return {
		...reader.read({ uri, range }, server.encoding),
		severity: SEVERITIES[(severity ?? 1) - 1] ?? "error",
		message: (typeof message === "string" ? message : message.value).replaceAll(/\s*\n\s*/g, " "),
		...(code !== undefined && { code: String(code) }),
		...(source !== undefined && { source }),
	};
}

function answer(session: LspSession, { severity = "information" }: LspRequest, result: Findings): Answer {
	const wanted = SEVERITIES.slice(0, SEVERITIES.indexOf(severity) + 1);
	const all = inOrder(result.findings.filter((item) => wanted.includes(item.severity)));
	const shown = all.slice(0, MOST_DIAGNOSTICS);
	const counts = wanted.map((name) => [name, all.filter((item) => item.severity === name).length] as const);
	const summary = counts.flatMap(([name, count]) => (count > 0 ? [`${count} ${name}${count === 1 ? "" : "s"}`] : []));
	const lines = shown.map((item) => {
		const origin = [item.source, item.code].filter((part) => part !== undefined).join(" ");
		return `${at(item)} ${item.severity}: ${item.message}${origin === "" ? "" : ` [${origin}]`}`;
	});
	if (shown.length < all.length) lines.push(`… the first ${shown.length} of ${all.length}.`);
	if (result.checked < result.asked) lines.push(`Only ${result.checked} of ${result.asked} files were checked.`);
	if (result.silent.length > 0)
		lines.push(`Nothing was said in time about ${result.silent.join(", ")}: unknown, not clean.`);
	const files = `${result.checked} file${result.checked === 1 ? "" : "s"}`;
	return {
		text: [`${summary.join(", ") || "No problems"} in ${files}.`, ...lines].join("\n"),
		details: {
			...{ diagnostics: shown, total: all.length, checked: result.checked, files: result.asked, silent: result.silent },
			...{ cwd: session.workspace.cwd, severity },
		},
	};
}
