import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of an element, updated when it changes. */
export function useElementWidth<Found extends HTMLElement>(): [RefObject<Found | null>, number] {
	const box = useRef<Found>(null);
	const [width, setWidth] = useState(0);
	useLayoutEffect(() => {
		const element = box.current;
		if (!element) return undefined;
		const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
		watcher.observe(element);
		setWidth(element.clientWidth);
		return () => watcher.disconnect();
	}, []);
	return [box, width];
}
