import { useLayoutEffect, useRef } from "preact/hooks";
import type { RunDetail } from "../../api/runs.ts";
import { doing, drafts, sendMessage, writingTo } from "./actions.tsx";

/** A message steers an open run and resumes a finished one. */
export function MessageBox({ run }: { run: RunDetail }) {
	const field = useRef<HTMLTextAreaElement>(null);
	// Before the next key press: the user keeps typing.
	useLayoutEffect(() => field.current?.focus(), []);
	const isOpen = run.phase !== "ended";
	const send = () => {
		const text = field.current?.value.trim() ?? "";
		if (text !== "") sendMessage(run, text);
	};
	const close = () => {
		writingTo.value = undefined;
	};
	return (
		<form
			class="message-box"
			onSubmit={(event) => {
				event.preventDefault();
				send();
			}}
		>
			<label for="message">
				{isOpen ? "Message to the running subagent" : "Next task for this subagent's session"}
			</label>
			<textarea
				id="message"
				ref={field}
				rows={3}
				defaultValue={drafts.get(run.runId) ?? ""}
				onInput={({ currentTarget }) => drafts.set(run.runId, currentTarget.value)}
				onKeyDown={(event) => {
					if (event.key === "Escape") close();
					else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
					else return;
					event.preventDefault();
					event.stopPropagation();
				}}
			/>
			<div class="message-foot">
				<span class="faint">Ctrl+Enter sends, Esc keeps it as a draft</span>
				<button type="button" onClick={close}>
					Close
				</button>
				<button type="submit" class="solid" disabled={doing.value !== undefined}>
					{isOpen ? "Send" : "Resume"}
				</button>
			</div>
		</form>
	);
}
