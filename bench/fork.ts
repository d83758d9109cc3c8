/** What a child costs that starts from a copy of the conversation, against one that starts fresh, in turns in one pi. */
import { parseArgs } from "node:util";
import type { RecordedRequest } from "../test/helpers/model-request.ts";
import { toolCall } from "../test/helpers/model-steps.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { finalize } from "./contenders.ts";
import { median, ms, times } from "./figures.ts";
import { startParent } from "./parent.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "15" },
		tokens: { type: "string", default: "10000,100000" },
		json: { type: "boolean" },
	},
});

const CONTEXTS = ["fresh", "fork"] as const;
type Context = (typeof CONTEXTS)[number];

interface Sample {
	/** From the parent's call to the child's first request, in milliseconds. */
	toFirst: number;
	/** Characters of the first request. */
	sent: number;
	/** Which part of it begins like the parent's request: what a prompt cache of the parent's could serve. */
	sharedWithParent: number;
	/** The same of the child's second request and its first. */
	sharedBySecond: number;
}

const agent = (context: Context) => `---\nname: ${context}\ntools: ls\ncontext: ${context}\n---\n\nYou look around.\n`;

/** Children of each kind, delegated to from a conversation of about so many tokens. */
async function measured(tokens: number, extension: string): Promise<Record<Context, Sample[]>> {
	let context: Context = "fresh";
	const parent = await startParent({
		extension,
		env: { PI_GEON_HOST_IDLE_MS: "60000" },
		contextWindow: 10_000_000,
		agents: Object.fromEntries(CONTEXTS.map((each) => [`${each}.md`, agent(each)])),
		calls: () => toolCall("subagent", { agent: context, task: "Look." }),
		child: ({ lastMessage }) => (lastMessage?.role === "tool" ? finalize : toolCall("ls", { path: "." })),
	});
	const samples: Record<Context, Sample[]> = { fresh: [], fork: [] };
	try {
		const said = "It is there. ".repeat(Math.ceil((1000 * 4) / 13));
		for (let message = 0; message < tokens / 1000; message++) await parent.rpc.promptAndSettle(`${message}. ${said}`);
		for (let round = -1; round < Number(values.rounds); round++) {
			progress(`fork of ${tokens} tokens, ${round + 1} of ${values.rounds}`);
			for (context of CONTEXTS) {
				const before = parent.model.requests.length;
				await parent.roundTrip();
				// The first of each kind loads what the others find loaded.
				if (round >= 0) samples[context].push(sampleOf(parent.model.requests.slice(before)));
			}
		}
	} finally {
		await parent.close();
	}
	return samples;
}

function sampleOf(requests: readonly RecordedRequest[]): Sample {
	const [asked] = requests.filter(({ isChild }) => !isChild);
	const [first, second] = requests.filter(({ isChild }) => isChild);
	if (asked?.endedAt === undefined || !first || !second) throw new Error("The child did not ask twice.");
	return {
		toFirst: first.startedAt - asked.endedAt,
		sent: asCached(first).length,
		sharedWithParent: shared(asCached(asked), asCached(first)),
		sharedBySecond: shared(asCached(first), asCached(second)),
	};
}

/** As providers look for a beginning that they know: the tools, the prompt, then the messages. */
const asCached = ({ raw }: RecordedRequest): string => JSON.stringify([raw.tools ?? [], raw.messages]);

function shared(earlier: string, later: string): number {
	let same = 0;
	while (same < later.length && earlier[same] === later[same]) same++;
	return same / later.length;
}

function rowsOf(tokens: number, samples: Record<Context, Sample[]>): Measured[] {
	const middle = (context: Context, of: keyof Sample) => median(samples[context].map((sample) => sample[of]));
	const ratio = (of: keyof Sample) => middle("fork", of) / middle("fresh", of);
	const row = (what: string, value: number, shown: string): Measured => ({
		what: `${tokens} tokens: ${what}`,
		value,
		shown,
	});
	const characters = (value: number) => `${Math.round(value)} characters`;
	const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
	return [
		...CONTEXTS.map((each) =>
			row(`${each}, to the first request`, middle(each, "toFirst"), ms(middle(each, "toFirst"))),
		),
		row("fork / fresh, to the first request", ratio("toFirst"), times(ratio("toFirst"))),
		...CONTEXTS.map((each) => row(`${each}, first request`, middle(each, "sent"), characters(middle(each, "sent")))),
		row("fork / fresh, first request", ratio("sent"), times(ratio("sent"))),
		...(["sharedWithParent", "sharedBySecond"] as const).map((of) => {
			const what =
				of === "sharedWithParent" ? "begins like the parent's request" : "second request begins like the first";
			return row(`fork, ${what}`, middle("fork", of), percent(middle("fork", of)));
		}),
	];
}

const staged = stagePackage();
const rows: Measured[] = [];
try {
	for (const tokens of values.tokens.split(",").map(Number))
		rows.push(...rowsOf(tokens, await measured(tokens, staged.path)));
} finally {
	staged.remove();
}

report(`A child with a copy of the conversation against a fresh one, instant model, median of ${values.rounds}`, rows);
