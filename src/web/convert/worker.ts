import { parentPort, workerData } from "node:worker_threads";
import { type ConvertAnswer, type Converted, type ConvertJob, Unreadable } from "./converted.ts";

/** Converts one document in a thread of its own, with nothing of the process but the document. */
async function convert(job: ConvertJob): Promise<Converted> {
	switch (job.kind) {
		case "html":
			return (await import("./html.ts")).htmlToMarkdown(job.html, job);
		case "pdf":
			return (await import("./pdf.ts")).pdfToText(job.bytes);
		case "docx":
			return { text: (await import("./docx.ts")).docxToMarkdown(Buffer.from(job.bytes)) };
	}
}

/** Of a library's errors only the name, such as PasswordException: their messages may quote the document. */
function reasonOf(error: unknown): string {
	if (error instanceof Unreadable) return error.message;
	return error instanceof Error ? error.name : "unknown";
}

const conversion: ConvertAnswer = await convert(workerData as ConvertJob).then(
	(converted) => ({ ok: true, converted }),
	(error: unknown) => ({ ok: false, reason: reasonOf(error) }),
);
parentPort?.postMessage(conversion);
