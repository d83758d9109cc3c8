import { openQuestionsOf } from "../ledger/open-questions.ts";
import type { Conversation } from "../ports/conversation.ts";
import type { QuestionDialogs } from "../supervise/question-dialogs.ts";
import type { AnnouncerSetup, DeliveryServices } from "./announcer-setup.ts";

/** Shows the questions of children to the user of a session. Most sessions never have one, and never load the dialogs. */
export class SessionQuestions<Talk extends Conversation> {
	readonly #setup: AnnouncerSetup<Talk>;
	#dialogs: QuestionDialogs | "opening" | undefined;
	#isOver = false;

	constructor(setup: AnnouncerSetup<Talk>) {
		this.#setup = setup;
	}

	look(talk: Talk, services: DeliveryServices): void {
		if (this.#dialogs === "opening") return;
		this.#dialogs?.look();
		if (this.#dialogs || openQuestionsOf(services.ledger, talk.sessionId).length === 0) return;
		this.#dialogs = "opening";
		const opened = (dialogs: QuestionDialogs | undefined) => {
			this.#dialogs = dialogs;
			if (!this.#isOver) services.supervisor.hint();
		};
		this.#setup.openQuestionDialogs(talk, services).then(opened, (error) => {
			this.#setup.log.error("cannot show questions", { session: talk.sessionId, error });
			opened(undefined);
		});
	}

	/** This process leaves the session: it ignores questions that open from now on. */
	end(): void {
		this.#isOver = true;
	}

	/** Gives the claims back. If that fails, they expire once this process is gone. */
	async leave(talk: Talk): Promise<void> {
		const dialogs = this.#dialogs;
		if (!dialogs || dialogs === "opening") return;
		try {
			await this.#setup.use(talk, async () => dialogs.leave());
		} catch (error) {
			this.#setup.log.warn("cannot give questions back", { session: talk.sessionId, error });
		}
	}
}
