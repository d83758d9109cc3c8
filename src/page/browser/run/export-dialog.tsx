import { signal } from "@preact/signals";
import type { Exported, PageFormat, RunDetail } from "../../api/runs.ts";
import { tell, tellFailure } from "../data/notices.ts";
import { ask, RequestFailed } from "../data/request.ts";
import { Dialog } from "../parts/dialog.tsx";

/** The run to export, while the reader chooses a format. */
export const exporting = signal<string | undefined>(undefined);

const FORMATS: readonly { format: PageFormat; name: string; about: string }[] = [
	{ format: "html", name: "HTML", about: "one page that needs nothing else" },
	{ format: "md", name: "Markdown", about: "for an issue or a chat" },
	{ format: "json", name: "JSON", about: "for a program" },
];

export function ExportDialog({ run }: { run: RunDetail }) {
	const close = () => {
		exporting.value = undefined;
	};
	return (
		<Dialog title="Export this run" onClose={close}>
			<div class="dialog-text">
				<p>Facts, transcript, changes and answer as one file. Secrets are masked as far as they are recognized.</p>
			</div>
			<ul class="formats">
				{FORMATS.map(({ format, name, about }) => (
					<li>
						<button
							type="button"
							onClick={() => {
								close();
								void download(run.runId, format);
							}}
						>
							<b>{name}</b> <span class="faint">{about}</span>
						</button>
					</li>
				))}
			</ul>
			<div class="dialog-buttons">
				<button type="button" onClick={close}>
					Cancel
				</button>
			</div>
		</Dialog>
	);
}

async function download(id: string, format: PageFormat): Promise<void> {
	try {
		const { name, text } = await ask<Exported>("export", { id, query: { format } });
		// Browsers do not open this type. If they opened the file, it would have the rights of this page.
		const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
		const link = document.createElement("a");
		link.href = address;
		link.download = name;
		link.click();
		URL.revokeObjectURL(address);
		tell(`Saved as ${name}.`);
	} catch (error) {
		if (!(error instanceof RequestFailed)) throw error;
		tellFailure(error.message);
	}
}
