import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Asked {
	title: string;
	text: ComponentChildren;
	/** The label of the button that does it. */
	confirm: string;
	isDangerous: boolean;
	/** Whether there is a field to fill in, which gets the focus instead of the button. */
	hasField?: boolean;
	onYes(): void;
}

const asked = signal<(Asked & { id: number }) | undefined>(undefined);
let askedSoFar = 0;

/** Asks before an action that cannot be reverted easily. */
export const askFirst = (question: Asked): void => {
	askedSoFar += 1;
	asked.value = { ...question, id: askedSoFar };
};

/** A dialog of the browser: it keeps the focus, and Esc closes it. */
export function Dialog(props: { title: string; onClose(): void; wide?: boolean; children: ComponentChildren }) {
	const { title, onClose, wide = false, children } = props;
	const element = useRef<HTMLDialogElement>(null);
	// Before the next key press, which is meant for the dialog.
	useLayoutEffect(() => {
		const before = document.activeElement;
		element.current?.showModal();
		return () => {
			if (before instanceof HTMLElement) before.focus();
		};
	}, []);
	return (
		<dialog ref={element} class={wide ? "wide" : ""} aria-labelledby="dialog-title" onClose={onClose}>
			<h2 id="dialog-title">{title}</h2>
			{children}
		</dialog>
	);
}

export function Question() {
	const question = asked.value;
	if (!question) return null;
	const { id, title, text, confirm, isDangerous, hasField = false, onYes } = question;
	// The browser reports later that a dialog was closed. By then, there may be another question.
	const close = () => {
		if (asked.value?.id === id) asked.value = undefined;
	};
	return (
		<Dialog key={id} title={title} onClose={close}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					close();
					onYes();
				}}
			>
				<div class="dialog-text">{text}</div>
				<div class="dialog-buttons">
					<button type="button" onClick={close}>
						Cancel
					</button>
					<button type="submit" autofocus={!hasField} class={isDangerous ? "danger solid" : "solid"}>
						{confirm}
					</button>
				</div>
			</form>
		</Dialog>
	);
}
