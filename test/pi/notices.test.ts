import { type ExtensionContext, initTheme } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import { mayDiscard } from "../../src/pi/commands/changes.ts";
import { HOW_TO_BEGIN } from "../../src/pi/how-to-begin.ts";
import type { SessionServices } from "../../src/pi/session-services.ts";
import { printStillRunning, sayStillRunning } from "../../src/pi/still-running.ts";
import { TerminalUi, type TerminalUiSetup } from "../../src/pi/terminal-ui.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { dialogsSeen } from "./dialogs.ts";

const scratch = useScratch({ inMemory: true });
const LABELS = ["the hunt", "all tests", "a review of the queue", "docs", "notes"];

interface Scene {
	ctx: ExtensionContext;
	ledger: Ledger;
	runs: readonly RunRecord[];
}

const ui = () => new TerminalUi({ pi: { registerShortcut() {} } } as unknown as TerminalUiSetup);

const stillRunning = ({ ctx, ledger, runs }: Scene, amount: number) => ({
	session: {
		...ctx,
		sessionManager: { getSessionFile: () => "/home/ada/.pi/agent/sessions/shop/2026-01-31_0199c0de.jsonl" },
	} as unknown as ExtensionContext,
	services: {
		use: (_: unknown, work: (services: object) => unknown) =>
			work({ ledger, redactor: createRedactor({ secrets: [], homeDir: "/home/ada" }) }),
	} as unknown as SessionServices,
	open: runs.slice(0, amount).map(({ run }) => run),
});

const NOTICES: Record<string, { answers?: string[]; show(scene: Scene): unknown }> = {
	"at the start": {
		show({ ctx }) {
			ui().greet(
				ctx,
				["explorer", "researcher", "reviewer", "implementer", "tester", "worker"].map((name) => ({ name })),
			);
			ui().greet(
				ctx,
				Array.from({ length: 12 }, (_, index) => ({ name: `agent-of-mine-${index + 1}` })),
			);
		},
	},
	"where there are no runs": { show: ({ ctx }) => ctx.ui.notify(HOW_TO_BEGIN) },
	"after Esc": {
		async show(scene) {
			await sayStillRunning(stillRunning(scene, 1));
			await sayStillRunning(stillRunning(scene, 5));
		},
	},
	"on exit": {
		async show(scene) {
			for (const amount of [1, 5]) {
				await printStillRunning(stillRunning(scene, amount), (text) => scene.ctx.ui.notify(text.trimEnd()));
			}
		},
	},
	"before changes are discarded": {
		answers: ["No, keep them", "Yes, discard them"],
		async show({ ctx, ledger, runs: [kept, discarded] }) {
			expect(await mayDiscard(ctx, kept as RunRecord, ledger)).toBe(false);
			expect(await mayDiscard(ctx, discarded as RunRecord, ledger)).toBe(true);
		},
	},
};

describe.each(Object.entries(NOTICES))("what a user reads %s", (name, { answers = [], show }) => {
	test.each(["light", "dark"])("is drawn at all widths, with the %s theme", async (themeName) => {
		initTheme(themeName);
		const ledger = await scratch.ledger();
		const runs = LABELS.map((label, index) =>
			admitRun(ledger, {
				...admission({ mode: "background", task: `Look at ${label}, and at everything that belongs to it.` }),
				...(index === 1 ? {} : { label }),
			}),
		);
		const drawn: string[] = [];
		for (const width of [40, 80, 120]) {
			drawn.push(await dialogsSeen({ width, answers }, async (ctx) => show({ ctx, ledger, runs })));
		}
		const text = runs.reduce((all, { run }, index) => all.replaceAll(run.id, `1a2b3c4${index}`), drawn.join("\n"));
		await expect(text).toMatchFileSnapshot(`./snapshots/notice-${name.replaceAll(" ", "-")}.txt`);
	});
});
