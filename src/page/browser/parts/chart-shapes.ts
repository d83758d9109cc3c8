interface Point {
	x: number;
	y: number;
}

/** From zero to at least the maximum, in steps of 1, 2 or 5 times a power of ten. */
export function niceTicks(most: number, about: number): number[] {
	if (most <= 0) return [0, 1];
	const rough = most / about;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
	const steps = Math.ceil(most / step - 1e-9);
	return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** Every second or third of the times and so on, including the last, as many as there is room for. */
export function evenTicks(times: readonly number[], most: number): number[] {
	const stride = Math.ceil(times.length / Math.max(1, most));
	return times.filter((_, index) => (times.length - 1 - index) % stride === 0);
}

/** The times that are far enough apart to be labelled below, including the first and the last. */
export function apartTicks(times: readonly number[], x: (time: number) => number, apart: number): number[] {
	const [first, last] = [times[0], times.at(-1)];
	if (first === undefined || last === undefined) return [];
	if (x(last) - x(first) < apart) return [last];
	const kept = [first];
	for (const time of times) {
		if (x(time) - x(kept.at(-1) ?? first) >= apart && x(last) - x(time) >= apart) kept.push(time);
	}
	return [...kept, last];
}

/** The index of the time that is nearest. */
export function nearestTo(times: readonly number[], wanted: number): number {
	let [low, high] = [0, Math.max(0, times.length - 1)];
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if ((times[middle] ?? 0) <= wanted) low = middle;
		else high = middle;
	}
	return Math.abs((times[low] ?? 0) - wanted) <= Math.abs((times[high] ?? 0) - wanted) ? low : high;
}

/** It grows only when a turn ends. */
export function stepPath(points: readonly Point[]): string {
	return points
		.map(({ x, y }, index) => (index === 0 ? `M${round(x)} ${round(y)}` : `H${round(x)}V${round(y)}`))
		.join("");
}

export function areaPath(points: readonly Point[], floor: number): string {
	const [first, last] = [points[0], points.at(-1)];
	if (!first || !last) return "";
	return `${stepPath(points)}V${round(floor)}H${round(first.x)}Z`;
}

const round = (amount: number): number => Math.round(amount * 10) / 10;
