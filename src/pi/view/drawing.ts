import type { Theme } from "@earendil-works/pi-coding-agent";

/** What every part of a view needs to know to draw itself. */
export interface Drawing {
	readonly theme: Theme;
	readonly width: number;
	readonly expanded: boolean;
	/** How to see the rest; empty if the user has no key for it. */
	readonly hint: string;
}
