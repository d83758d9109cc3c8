import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Whether a media query matches, updated when the window changes. */
export function useMedia(query: string): boolean {
	const matches = useSignal(matchMedia(query).matches);
	useEffect(() => {
		const media = matchMedia(query);
		const look = () => {
			matches.value = media.matches;
		};
		media.addEventListener("change", look);
		return () => media.removeEventListener("change", look);
	}, [query, matches]);
	return matches.value;
}
