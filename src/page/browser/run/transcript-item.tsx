import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { count, dollars } from "../../../run/amounts.ts";
import { FINALIZE_TOOL } from "../../../run/outcome.ts";
import { inputTokens } from "../../../run/usage.ts";
import type { PageItem, ToolCall } from "../../api/transcript.ts";
import { fetchWhole } from "../data/open-run.ts";
import { Foreign, ForeignBlock } from "../parts/foreign.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { timeOfDay } from "../parts/words.ts";
import { isUnfolded, setUnfolded } from "./folds.ts";

const LINE_CHARS = 160;

/** One thing that was said or done in a child session. */
export function Item({ item }: { item: PageItem }) {
	if (item.role === "note") {
		return (
			<p class="item-note">
				<Foreign text={item.text} /> <More item={item} />
			</p>
		);
	}
	// The result only says that the answer was accepted: the answer is above.
	if (item.tool === FINALIZE_TOOL && !item.failed) return null;
	if (item.role === "tool") return <ToolAnswer item={item} />;
	const { role, text, thinking, calls = [], final, failed, n } = item;
	const kind = final ? (failed ? "final failed" : "final") : role;
	return (
		<article class={`item ${kind}`}>
			<header class="item-head">
				<span class="item-who">{whoOf(item)}</span>
				<ItemFacts item={item} />
			</header>
			{thinking !== undefined && thinking !== "" && (
				<Fold id={`${n}/thinking`} summary={<span class="faint">thinking</span>}>
					<ForeignBlock text={thinking} class="thinking" />
				</Fold>
			)}
			{text !== "" && <Markdown text={text} />}
			<More item={item} />
			{calls.map((call) => (
				<Call key={call.id} call={call} item={item} />
			))}
		</article>
	);
}

function whoOf({ role, final, failed }: PageItem): string {
	if (final) return failed ? "Reported an error" : "Answer";
	return role === "user" ? "Asked" : "Subagent";
}

function ItemFacts({ item: { at, model, usage } }: { item: PageItem }) {
	const facts = [
		...(model === undefined ? [] : [model]),
		...(usage ? [`${count(inputTokens(usage))} in / ${count(usage.output)} out`] : []),
		...(usage && usage.cost > 0 ? [dollars(usage.cost)] : []),
		...(at === undefined ? [] : [timeOfDay(at)]),
	];
	return (
		<span class="item-facts">
			<Foreign text={facts.join(" · ")} />
		</span>
	);
}

function Call({ call, item }: { call: ToolCall; item: PageItem }) {
	return (
		<Fold
			id={`${item.n}/${call.id}`}
			summary={
				<>
					<span class="tool-name">
						<Foreign text={call.name} />
					</span>
					<Foreign text={argsInLine(call.args)} class="tool-line" />
				</>
			}
		>
			<ForeignBlock text={prettyJson(call.args)} class="code" />
			<More item={item} chars={call.moreChars} />
		</Fold>
	);
}

function ToolAnswer({ item }: { item: PageItem }) {
	const { n, tool = "tool", text, failed } = item;
	const lines = text.split("\n", 10_000).length;
	return (
		<article class={`item tool ${failed ? "failed" : ""}`}>
			<Fold
				id={`${n}/result`}
				summary={
					<>
						<span class="tool-name result">
							<span aria-hidden="true">↳ </span>
							<Foreign text={tool} />
							{failed && <span class="tone-failure"> failed</span>}
						</span>
						<Foreign text={firstLine(text)} class="tool-line" />
						<span class="item-facts">{lines > 1 ? `${lines} lines` : ""}</span>
					</>
				}
			>
				<ForeignBlock text={text === "" ? "(nothing)" : text} class="code" />
				<More item={item} />
			</Fold>
		</article>
	);
}

/** How much of a text is missing, and a way to see it. */
function More({ item, chars = item.moreChars }: { item: PageItem; chars?: number | undefined }) {
	const isAsked = useSignal(false);
	if (chars === undefined) return null;
	// Even the whole item was cut.
	if (item.whole) return <span class="more faint">It is in the session file.</span>;
	return (
		<button
			type="button"
			class="more"
			disabled={isAsked.value}
			onClick={() => {
				isAsked.value = true;
				void fetchWhole(item.n).finally(() => {
					isAsked.value = false;
				});
			}}
		>
			Show {chars.toLocaleString()} more characters
		</button>
	);
}

/** Folded content is not in the document: a tool may have returned a megabyte. */
function Fold({ id, summary, children }: { id: string; summary: ComponentChildren; children: ComponentChildren }) {
	const isOpen = isUnfolded(id);
	return (
		<div class={`fold ${isOpen ? "open" : ""}`}>
			<button type="button" class="fold-head" aria-expanded={isOpen} onClick={() => setUnfolded(id, !isOpen)}>
				<span class="fold-sign" aria-hidden="true" />
				{summary}
			</button>
			{isOpen && <div class="fold-body">{children}</div>}
		</div>
	);
}

const firstLine = (text: string): string => text.trimStart().slice(0, LINE_CHARS).split("\n", 1)[0] ?? "";

/** `path: src/app.ts, limit: 20` */
function argsInLine(args: string): string {
	const parsed = parsedOf(args);
	if (typeof parsed !== "object" || parsed === null) return firstLine(args);
	const parts = Object.entries(parsed).map(([name, value]) => {
		const text = typeof value === "string" ? value : JSON.stringify(value);
		return `${name}: ${text.slice(0, LINE_CHARS).replace(/\s+/g, " ")}`;
	});
	return parts.join(", ").slice(0, LINE_CHARS);
}

function prettyJson(args: string): string {
	const parsed = parsedOf(args);
	return parsed === undefined ? args : JSON.stringify(parsed, null, 2);
}

function parsedOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // Cut, or never JSON: shown as it is.
	}
}
