import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { ForeignBlock, legibleNodes } from "./foreign.tsx";

/** The lexer may take long for a malicious text, so longer ones are shown as they are. */
const MOST_CHARS = 40_000;
const SAFE_LINK = /^(https?:|mailto:)/i;
/** The lexer turns tokens into tokens of tokens; a text may nest them as deep as it is long. */
const DEEPEST = 24;

/**
 * Text of a model. Only tokens are used, and each becomes a node, so that no markup of the text ever reaches the document.
 * Images are not loaded, because a text must not be able to send requests.
 */
export function Markdown({ text }: { text: string }) {
	const tokens = useMemo(() => tokensOf(text), [text]);
	if (!tokens) return <ForeignBlock text={text} />;
	return (
		<div class="markdown" dir="auto">
			{blocks(tokens, 0)}
		</div>
	);
}

function tokensOf(text: string): Token[] | undefined {
	if (text.length > MOST_CHARS) return undefined;
	try {
		return lexer(text, { gfm: true });
	} catch {
		return undefined; // Nested too deeply for the lexer: shown as it is.
	}
}

const blocks = (tokens: readonly Token[], depth: number): ComponentChildren =>
	tokens.map((token) => block(token as MarkedToken, depth + 1));

function block(token: MarkedToken, depth: number): ComponentChildren {
	if (depth > DEEPEST) return legibleNodes(token.raw);
	switch (token.type) {
		case "space":
		case "def":
			return null;
		case "heading":
			return <Heading level={token.depth}>{inline(token.tokens, depth)}</Heading>;
		case "paragraph":
			return <p>{inline(token.tokens, depth)}</p>;
		case "code":
			return (
				<pre class="foreign code" dir="ltr">
					<code>{legibleNodes(token.text)}</code>
				</pre>
			);
		case "blockquote":
			return <blockquote>{blocks(token.tokens, depth)}</blockquote>;
		case "list":
			return list(token as Tokens.List, depth);
		case "hr":
			return <hr />;
		case "table":
			return table(token as Tokens.Table, depth);
		case "text":
			return "tokens" in token && token.tokens ? (
				<p>{inline(token.tokens, depth)}</p>
			) : (
				<p>{legibleNodes(token.raw)}</p>
			);
		default:
			return <p>{legibleNodes(token.raw)}</p>;
	}
}

/** The page has its own headings above: those of a text are one level below them. */
function Heading({ level, children }: { level: number; children: ComponentChildren }): VNode {
	if (level <= 1) return <h4 class="said-1">{children}</h4>;
	return level === 2 ? <h5 class="said-2">{children}</h5> : <h6 class="said-3">{children}</h6>;
}

function list({ ordered, start, items }: Tokens.List, depth: number): VNode {
	const entries = items.map((item) => (
		<li>
			{item.task && <span class="task">{item.checked ? "☑ " : "☐ "}</span>}
			{item.tokens.map((token) => listed(token as MarkedToken, depth))}
		</li>
	));
	return ordered ? <ol start={typeof start === "number" ? start : 1}>{entries}</ol> : <ul>{entries}</ul>;
}

/** A line of a tight list is not a paragraph. */
function listed(token: MarkedToken, depth: number): ComponentChildren {
	if (token.type === "text" && "tokens" in token && token.tokens) return inline(token.tokens, depth + 1);
	if ((token.type as string) === "checkbox") return null;
	return block(token, depth + 1);
}

const table = ({ header, rows }: Tokens.Table, depth: number): VNode => (
	// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
	<section class="table-box" tabIndex={0} aria-label="Table">
		<table>
			<thead>
				<tr>
					{header.map((cell) => (
						<th scope="col">{inline(cell.tokens, depth)}</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<tr>
						{row.map((cell) => (
							<td>{inline(cell.tokens, depth)}</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	</section>
);

const inline = (tokens: readonly Token[], depth: number): ComponentChildren =>
	tokens.map((token) => span(token as MarkedToken, depth + 1));

function span(token: MarkedToken, depth: number): ComponentChildren {
	if (depth > DEEPEST) return legibleNodes(token.raw);
	switch (token.type) {
		case "strong":
			return <strong>{inline(token.tokens, depth)}</strong>;
		case "em":
			return <em>{inline(token.tokens, depth)}</em>;
		case "del":
			return <del>{inline(token.tokens, depth)}</del>;
		case "codespan":
			return <code>{legibleNodes(token.text)}</code>;
		case "br":
			return <br />;
		case "link":
			return <ForeignLink href={token.href}>{inline(token.tokens, depth)}</ForeignLink>;
		case "image":
			return <ForeignLink href={token.href}>{legibleNodes(`[image: ${token.text}]`)}</ForeignLink>;
		case "escape":
			return legibleNodes(token.text);
		case "text":
			return "tokens" in token && token.tokens ? inline(token.tokens, depth) : legibleNodes(token.raw);
		default:
			return legibleNodes(token.raw);
	}
}

/** Links only to addresses that a browser may open, in another tab, without access to this one, and shows the target. */
function ForeignLink({ href, children }: { href: string; children: ComponentChildren }) {
	if (!SAFE_LINK.test(href) || !URL.canParse(href)) return <bdi title={href}>{children}</bdi>;
	return (
		<a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
			<bdi>{children}</bdi>
		</a>
	);
}
