import { signal } from "@preact/signals";

/**
 * A line that reports an action, or why it failed. It disappears by itself, but a failure stays until the user closes it.
 */
export interface Notice {
	id: number;
	kind: "done" | "failed";
	text: string;
	details: readonly string[];
}

export const notices = signal<readonly Notice[]>([]);
let last = 0;

const SHOWN_MS = 6000;

export function tell(text: string): void {
	const { id } = add({ kind: "done", text, details: [] });
	setTimeout(() => closeNotice(id), SHOWN_MS);
}

export const tellFailure = (text: string, details: readonly string[] = []): void =>
	void add({ kind: "failed", text, details });

export function closeNotice(id: number): void {
	notices.value = notices.value.filter((notice) => notice.id !== id);
}

function add(notice: Omit<Notice, "id">): Notice {
	const added = { ...notice, id: ++last };
	notices.value = [...notices.value.slice(-3), added];
	return added;
}
