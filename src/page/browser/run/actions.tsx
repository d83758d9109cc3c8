import { signal } from "@preact/signals";
import type { RunDetail } from "../../api/runs.ts";
import { paused } from "../data/live.ts";
import { tell, tellFailure } from "../data/notices.ts";
import { refetchRun } from "../data/open-run.ts";
import { act, RequestFailed } from "../data/request.ts";
import { go, runLink } from "../data/route.ts";
import { askFirst } from "../parts/dialog.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { titleOfRun } from "../parts/words.ts";

/** The run to which the user is writing a message, and the draft, which survives while the user looks at another run. */
export const writingTo = signal<string | undefined>(undefined);
export const drafts = new Map<string, string>();
/** The name of the current action, which must not be started twice. */
export const doing = signal<string | undefined>(undefined);

type Named = Pick<RunDetail, "runId" | "agent" | "label" | "task">;

const nameOf = (run: Named) => (
	<p>
		<b>
			<Foreign text={run.agent} />
		</b>{" "}
		<Foreign text={titleOfRun(run)} />
	</p>
);

export function askStop(run: Named): void {
	askFirst({
		title: "Stop this run?",
		text: (
			<>
				{nameOf(run)}
				<p>It ends as soon as its host sees the request. What it said and changed so far is kept.</p>
			</>
		),
		confirm: "Stop the run",
		isDangerous: true,
		onYes: () =>
			attempt("stop", async () => {
				const { was } = await act("stop", run.runId);
				return was === "ended" ? "It has finished already." : "Asked to stop.";
			}),
	});
}

export function askApply(run: Named): void {
	askFirst({
		title: "Apply these changes to your working tree?",
		text: (
			<>
				{nameOf(run)}
				<p>All files or none. You can undo it here.</p>
			</>
		),
		confirm: "Apply changes",
		isDangerous: false,
		onYes: () =>
			attempt("apply", async () => {
				const { done, files } = await act("apply", run.runId);
				return done === "already" ? "These changes are applied already." : `Applied ${filesInWords(files)}.`;
			}),
	});
}

export function askUndo(run: Named): void {
	askFirst({
		title: "Remove these changes from your working tree?",
		text: nameOf(run),
		confirm: "Undo changes",
		isDangerous: true,
		onYes: () =>
			attempt("undo", async () => {
				const { files } = await act("undo", run.runId);
				return `Reverted ${filesInWords(files)}.`;
			}),
	});
}

export function askBranch(run: Named & Pick<RunDetail, "changesView">): void {
	let name = "";
	askFirst({
		title: "Put these changes on a branch?",
		text: (
			<>
				{nameOf(run)}
				<p>Your repository gets a new branch with them. Your working tree stays as it is.</p>
				<label class="field">
					Name of the branch
					<input
						type="text"
						autofocus
						spellcheck={false}
						placeholder={run.changesView?.usualBranch ?? ""}
						onInput={({ currentTarget }) => {
							name = currentTarget.value.trim();
						}}
					/>
				</label>
			</>
		),
		confirm: "Create branch",
		isDangerous: false,
		hasField: true,
		onYes: () =>
			attempt("branch", async () => {
				const { done, branch } = await act("branch", run.runId, name === "" ? {} : { name });
				return done === "already" ? `Branch ${branch} has these changes already.` : `Created branch ${branch}.`;
			}),
	});
}

export function askDiscard(run: Named): void {
	askFirst({
		title: "Discard these changes?",
		text: (
			<>
				{nameOf(run)}
				<p>They are deleted. This cannot be undone.</p>
			</>
		),
		confirm: "Discard changes",
		isDangerous: true,
		onYes: () =>
			attempt("discard", async () => {
				await act("discard", run.runId);
				return "Discarded.";
			}),
	});
}

export function sendMessage(run: Named, message: string): void {
	void attempt("send", async () => {
		const { how, runId, note } = await act("send", run.runId, { message });
		drafts.delete(run.runId);
		writingTo.value = undefined;
		if (runId !== run.runId) go(runLink(runId));
		if (note !== undefined) return note;
		return how === "resumed" ? `Resumed as run ${runId}.` : "Sent. The subagent gets it after its current step.";
	});
}

export function answerQuestion(run: Named, questionId: string, answer: string | boolean | number | null): void {
	void attempt("answer", async () => {
		const { status } = await act("answer", run.runId, { questionId, answer });
		if (status === "late") return "Too late: it was answered elsewhere, or the run continued.";
		return answer === null ? "Declined." : "Answered.";
	});
}

export async function copyAnswer({ answer, phase }: Pick<RunDetail, "answer" | "phase">): Promise<void> {
	if (answer === undefined || answer === "") return tell("There is no answer to copy yet.");
	try {
		await navigator.clipboard.writeText(answer);
		tell(phase === "ended" ? "Answer copied." : "Copied what it last said.");
	} catch (error) {
		tellFailure(`The browser did not allow copying: ${(error as Error).message}`);
	}
}

async function attempt(name: string, action: () => Promise<string>): Promise<void> {
	if (doing.value !== undefined) return;
	doing.value = name;
	try {
		tell(await action());
		// No updates arrive while the page is paused.
		if (paused.value) await refetchRun();
	} catch (error) {
		if (!(error instanceof RequestFailed)) throw error;
		tellFailure(error.message, error.failure.conflicts);
	} finally {
		doing.value = undefined;
	}
}

const filesInWords = (files: number): string => `${files} ${files === 1 ? "file" : "files"}`;
