import type { RunRecord } from "../../ledger/records.ts";
import { messageOf } from "../../run/message-of.ts";
import type { Done, RunActions } from "./actions.ts";

const NO_CHANGES_HERE = "It has no changes: it has no tree of its own, has not finished, or changed nothing.";

/** The parts of the inspector that the keys below use. */
interface ChangesHost {
	actions: RunActions;
	/** The user's name for the selected run. */
	selectedName(): string;
	notify(notice: string): void;
	done(done: Done): void;
	tell(action: Promise<Done>): void;
	ask(question: string, asked: { onYes(): void; otherwise: string }): void;
	/** Shows the patch of this run, if it is still the selected one. */
	showDiff(record: RunRecord, lines: string[]): void;
}

/** The keys for what a run changed in its tree. */
export function changesKeys(host: ChangesHost) {
	const { actions } = host;
	return {
		askApply(record: RunRecord): void {
			const state = actions.changesState(record);
			if (state === undefined) return void host.notify(NO_CHANGES_HERE);
			const undo = state === "applied";
			const changes = `the changes of ${host.selectedName()}`;
			const question = undo ? `Remove ${changes} from your working tree? y/n` : `Apply ${changes} here? y/n`;
			host.ask(question, {
				onYes: () => host.tell(actions.apply(record, { undo })),
				otherwise: "Nothing was done.",
			});
		},
		readDiff(record: RunRecord): void {
			if (actions.changesState(record) === undefined) return void host.notify(NO_CHANGES_HERE);
			actions.diff(record).then(
				(lines) => host.showDiff(record, lines),
				(error: unknown) => host.done({ notice: messageOf(error) }),
			);
		},
	};
}
