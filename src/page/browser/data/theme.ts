import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const THEME_KEY = "pi-geon-theme";
const ORDER: readonly Theme[] = ["auto", "light", "dark"];

export const theme = signal<Theme>(ORDER.find((each) => each === localStorage.getItem(THEME_KEY)) ?? "auto");

export function nextTheme(): void {
	theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? "auto";
}

export function followTheme(): void {
	effect(() => {
		const chosen = theme.value;
		if (chosen === "auto") delete document.documentElement.dataset.theme;
		else document.documentElement.dataset.theme = chosen;
		localStorage.setItem(THEME_KEY, chosen);
	});
}
