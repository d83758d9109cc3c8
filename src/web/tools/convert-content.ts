import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { webCallLine } from "../call-line.ts";
import { WebError } from "../error.ts";
import { convertLimited, loadPage } from "../load-page.ts";
import { MOST_SHOWN_CHARS, PAGE_CHARS, pageExcerpt, readAll } from "../pages.ts";
import type { Page } from "../process-state.ts";
import { pagesResult } from "../result.ts";
import type { WebCall, WebServices } from "../services.ts";
import { readWorkspaceFile } from "../workspace-file.ts";

const convertParameters = Type.Object(
	{
		path: Type.Optional(Type.String()),
		url: Type.Optional(Type.String({ description: "Instead of path" })),
		maxContentChars: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SHOWN_CHARS })),
		timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 120_000 })),
	},
	{ additionalProperties: false },
);

export const convertContent = (services: WebServices) =>
	defineTool({
		name: "convert_content",
		label: "Convert content",
		description:
			"Read a file in the workspace or on the web as markdown: PDF, Office and OpenDocument files, EPUB, notebooks, HTML, CSV, text.",
		parameters: convertParameters,
		renderCall: webCallLine("convert_content"),
		async execute(_id, { path, url, maxContentChars = PAGE_CHARS, timeoutMs }, signal, _onUpdate, ctx) {
			const settings = services.settings(ctx);
			const call = { ...services, settings: { ...settings, timeoutMs: timeoutMs ?? settings.timeoutMs }, signal };
			const subject = { ...(path !== undefined && { path }), ...(url !== undefined && { url }) };
			const read = () => readOne(subject, call, ctx.cwd);
			const { pages, errors } = await readAll([{ index: 1, subject, read }]);
			return pagesResult(
				pages.map((page) => pageExcerpt(page, page.start ?? 0, maxContentChars)),
				errors,
			);
		},
	});

async function readOne({ path, url }: { path?: string; url?: string }, call: WebCall, cwd: string): Promise<Page> {
	if (url !== undefined && path === undefined) return loadPage(url, call, { preferReader: true });
	if (path === undefined || url !== undefined) throw new WebError("INVALID_INPUT", "Give either `path` or `url`.");
	const file = await readWorkspaceFile(path, { cwd, maxBytes: call.settings.maxBytes });
	const document = await convertLimited({ ...file, url: "about:blank", preferReader: true }, call);
	return { source: path, ...document };
}
