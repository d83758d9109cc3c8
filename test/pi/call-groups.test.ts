import { expect, test } from "vitest";
import { CallGroups } from "../../src/pi/call-groups.ts";

/** Begins so many calls in one go, as pi does, and notes what happens in which order. */
function beginAll(groups: CallGroups, count: number, onBegun: (begun: number) => void = () => {}) {
	const order: number[] = [];
	const all = Array.from({ length: count }, async (_, index) => {
		await groups.turn();
		order.push(index);
		onBegun(order.length);
	});
	return { order, done: Promise.all(all) };
}

test("a few calls begin before anything else happens, and so do the next few", async () => {
	const groups = new CallGroups();
	const first = beginAll(groups, 4);
	await Promise.resolve();
	expect(first.order).toEqual([0, 1, 2, 3]);
	await new Promise((resolve) => setTimeout(resolve, 0));
	await first.done;
	const second = beginAll(groups, 1);
	await second.done;
	expect(second.order).toEqual([0]);
});

test("of many calls, what the first ones ask for is done before the last ones begin", async () => {
	const groups = new CallGroups();
	let begunAtAdmission: number | undefined;
	const { order, done } = beginAll(groups, 1000, (begun) => {
		// Like an admission, which waits for what else is admitted in the same moment.
		if (begun === 1) setImmediate(() => setImmediate(() => (begunAtAdmission = order.length)));
	});
	await done;
	expect(order).toEqual(Array.from({ length: 1000 }, (_, index) => index));
	expect(begunAtAdmission).toBeLessThan(20);
});
