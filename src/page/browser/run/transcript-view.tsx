import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { needItems, progress, runDetail, transcript } from "../data/open-run.ts";
import { Foreign } from "../parts/foreign.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { useVirtual } from "../parts/virtual.ts";
import { Item } from "./transcript-item.tsx";

const GUESSED_PX = 84;
/** Within this distance from the end, it follows new items. */
const NEAR_PX = 60;

/** Whether it stays at the end as the end moves. */
export const following = signal(true);

export const TRANSCRIPT_ID = "transcript";

/** The message that the child is writing, until the transcript has it. */
const liveText = computed(() => {
	const latest = progress.value?.displayItems.at(-1);
	if (runDetail.value?.phase === "ended" || latest?.type !== "text") return undefined;
	const { items, total } = transcript.value ?? { items: new Map(), total: 0 };
	for (let n = total - 1; n >= Math.max(0, total - 8); n--) {
		if (items.get(n)?.text.trimEnd().endsWith(latest.text.trim().slice(-200))) return undefined;
	}
	return latest.text;
});

/** What was said and done, oldest first. It follows new items until the user scrolls up. */
export function TranscriptView() {
	const shown = transcript.value;
	const live = liveText.value;
	const box = useRef<HTMLDivElement>(null);
	const before = useRef({ scrollTop: 0, scrollHeight: 0 });
	// Every run is opened at its end.
	useLayoutEffect(() => {
		following.value = true;
	}, []);
	const total = shown?.total ?? 0;
	const rows = total + (live === undefined ? 0 : 1);
	const virtual = useVirtual({
		count: rows,
		estimateSize: () => GUESSED_PX,
		getScrollElement: () => box.current,
		overscan: 6,
		paddingStart: 16,
		paddingEnd: 24,
	});
	const visible = virtual.getVirtualItems();
	const [first, last] = [visible[0]?.index ?? 0, visible.at(-1)?.index ?? 0];
	useEffect(() => {
		if (total > 0) needItems(first, Math.min(last, total - 1));
	}, [first, last, total]);

	const height = virtual.getTotalSize();
	// Any change of its height moves its end.
	useLayoutEffect(() => {
		const element = box.current;
		if (element && following.value) element.scrollTop = element.scrollHeight;
	}, [height, rows, live, following.value]);

	return (
		<div class="transcript-frame">
			<section
				id={TRANSCRIPT_ID}
				ref={box}
				class="transcript"
				// biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keys
				tabIndex={0}
				aria-label="Transcript"
				onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
					const wentUp = scrollTop < before.current.scrollTop - 1 && scrollHeight >= before.current.scrollHeight;
					// Growing and folding items move the end too. Only a user who scrolls up wants to stay there.
					if (scrollHeight - scrollTop - clientHeight < NEAR_PX) following.value = true;
					else if (wentUp) following.value = false;
					before.current = { scrollTop, scrollHeight };
				}}
			>
				{shown?.note !== undefined && (
					<p class="item-note">
						<Foreign text={shown.note} />
					</p>
				)}
				{shown && rows === 0 && <p class="empty">Nothing was said yet.</p>}
				<div class="transcript-inner" style={{ height: `${height}px` }}>
					{visible.map(({ index, key, start }) => (
						<div
							key={key}
							class="item-place"
							data-index={index}
							ref={(element) => virtual.measureElement(element)}
							style={{ transform: `translateY(${start}px)` }}
						>
							{index < total ? <ItemAt n={index} /> : <LiveItem text={live ?? ""} />}
						</div>
					))}
				</div>
			</section>
			{!following.value && (
				<button
					type="button"
					class="follow"
					onClick={() => {
						following.value = true;
					}}
				>
					↓ Follow
				</button>
			)}
		</div>
	);
}

function ItemAt({ n }: { n: number }) {
	const item = transcript.value?.items.get(n);
	return item ? <Item item={item} /> : <div class="item-missing" aria-hidden="true" />;
}

const LiveItem = ({ text }: { text: string }) => (
	<article class="item assistant live">
		<header class="item-head">
			<span class="item-who">Subagent</span>
			<span class="item-facts tone-running">writing…</span>
		</header>
		<Markdown text={text} />
	</article>
);
