import { effect } from "@preact/signals";
import { overview } from "./live.ts";

/** What matters of it is read off the tab, while its reader is elsewhere. */
export function followTabTitle(): void {
	effect(() => {
		const { running = 0, asking = 0 } = overview.value ?? {};
		const news = asking > 0 ? `${asking} asking you · ` : running > 0 ? `${running} running · ` : "";
		document.title = `${news}pi-geon`;
	});
}
