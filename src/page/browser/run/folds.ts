import { signal } from "@preact/signals";

/** Whether everything is unfolded, and the exceptions. Rows come and go with scrolling; this stays. */
const allOpen = signal(false);
const others = signal<ReadonlySet<string>>(new Set());

export const isUnfolded = (key: string): boolean => others.value.has(key) !== allOpen.value;

export function setUnfolded(key: string, open: boolean): void {
	const next = new Set(others.value);
	if (open === allOpen.value) next.delete(key);
	else next.add(key);
	others.value = next;
}

/** The key `t` of the inspector. */
export function foldOrUnfoldAll(): void {
	allOpen.value = !allOpen.value;
	others.value = new Set();
}
