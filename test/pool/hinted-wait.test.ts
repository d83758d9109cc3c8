import { expect, test } from "vitest";
import { HintedWait } from "../../src/pool/hinted-wait.ts";
import { systemClock } from "../../src/ports/clock.ts";

const FOREVER_MS = 1e9;

test("a hint ends a wait, and one that came before it began; each ends one wait", async () => {
	const news = new HintedWait(systemClock);
	const first = news.wait(FOREVER_MS);
	news.hint();
	await first;
	news.hint();
	news.hint();
	await news.wait(FOREVER_MS);
	let isOver = false;
	const third = news.wait(FOREVER_MS).then(() => {
		isOver = true;
	});
	await systemClock.sleep(0);
	expect(isOver).toBe(false);
	news.hint();
	await third;
});
