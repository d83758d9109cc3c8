import {
	elementScroll,
	observeElementOffset,
	observeElementRect,
	Virtualizer,
	type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

type Wanted = Pick<VirtualizerOptions<HTMLElement, HTMLElement>, "count" | "estimateSize" | "getScrollElement"> &
	Partial<VirtualizerOptions<HTMLElement, HTMLElement>>;

/** Keeps only the visible rows in the document. */
export function useVirtual(wanted: Wanted): Virtualizer<HTMLElement, HTMLElement> {
	const [, draw] = useReducer((version: number, _: undefined) => version + 1, 0);
	const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
		observeElementRect,
		observeElementOffset,
		scrollToFn: elementScroll,
		overscan: 8,
		...wanted,
		onChange: (instance, sync) => {
			draw(undefined);
			wanted.onChange?.(instance, sync);
		},
	};
	const kept = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
	kept.current ??= new Virtualizer(options);
	const virtualizer = kept.current;
	virtualizer.setOptions(options);
	useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
	useLayoutEffect(() => virtualizer._willUpdate());
	return virtualizer;
}
