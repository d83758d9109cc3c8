/**
 * Which run has which line of the widget. A run keeps its line until it has finished and another one needs it, and the number
 * of lines never shrinks, so that nothing moves on the screen when runs come and go.
 */
export function assignSlots<Id>(
	slots: readonly Id[],
	{ open, hasEnded, capacity }: { open: readonly Id[]; hasEnded: (id: Id) => boolean; capacity: number },
): Id[] {
	const next = slots.slice(0, capacity);
	const seated = new Set(next);
	const waiting = open.filter((id) => !seated.has(id)).values();
	const newcomer = () => waiting.next().value;
	for (const [index, id] of next.entries()) {
		if (!hasEnded(id)) continue;
		const taker = newcomer();
		if (taker === undefined) break;
		next[index] = taker;
	}
	for (let taker = next.length < capacity ? newcomer() : undefined; taker !== undefined; ) {
		next.push(taker);
		taker = next.length < capacity ? newcomer() : undefined;
	}
	return next;
}
