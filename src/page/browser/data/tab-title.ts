import { effect } from "@preact/signals";
import { overview } from "./live.ts";

/** Shows the important facts in the tab's title, while the reader is elsewhere. */
export function followTabTitle(): void {
	effect(() => {
		const { running = 0, asking = 0 } = overview.value ?? {};
		const news = asking > 0 ? `${asking} asking you · ` : running > 0 ? `${running} running · ` : "";
		document.title = `${news}pi-geon`;
	});
}
