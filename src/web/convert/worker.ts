import { parentPort, workerData } from "node:worker_threads";
import { type ConvertAnswer, type Converted, type ConvertJob, Unreadable } from "./converted.ts";

/** Converts one document in a thread of its own, with access to the document only. */
async function convert(job: ConvertJob): Promise<Converted> {
	switch (job.kind) {
		case "html":
			return (await import("./html/html.ts")).htmlToMarkdown(job.html, job);
		case "pdf":
			return (await import("./pdf.ts")).pdfToMarkdown(job.bytes);
		case "docx":
			return (await import("./docx.ts")).docxToMarkdown(job.bytes);
		case "xlsx":
			return (await import("./xlsx.ts")).xlsxToMarkdown(job.bytes);
		case "pptx":
			return (await import("./pptx.ts")).pptxToMarkdown(job.bytes);
		case "odf":
			return (await import("./odf.ts")).odfToMarkdown(job.bytes);
		case "epub":
			return (await import("./epub.ts")).epubToMarkdown(job.bytes);
		case "rtf":
			return (await import("./rtf.ts")).rtfToText(job.bytes);
		case "ipynb":
			return (await import("./ipynb.ts")).ipynbToMarkdown(job.bytes);
	}
}

/** Only the name of a library's error, such as PasswordException: its message may quote the document. */
function reasonOf(error: unknown): string {
	if (error instanceof Unreadable) return error.message;
	return error instanceof Error ? error.name : "unknown";
}

const conversion: ConvertAnswer = await convert(workerData as ConvertJob).then(
	(converted) => ({ ok: true, converted }),
	(error: unknown) => ({ ok: false, reason: reasonOf(error) }),
);
parentPort?.postMessage(conversion);
