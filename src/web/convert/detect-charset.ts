import { analyse } from "chardet";
import { decoderFor } from "./charset.ts";

const SAMPLE_BYTES = 64 * 1024;
/** Fewer bytes beyond ASCII say too little to tell one charset from another. */
const ENOUGH_EVIDENCE = 8;
/** In percent, as the detector counts. */
const SURE = 20;

/** Decodes text in an undeclared charset with the one that a detector finds, or that of the old web. */
export function decodeDetected(bytes: Buffer): string {
	const sample = bytes.subarray(0, SAMPLE_BYTES);
	const evidence = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
	const [best] = evidence < ENOUGH_EVIDENCE ? [] : analyse(sample);
	const found = best && best.confidence >= SURE ? decoderFor(best.name) : undefined;
	return (found ?? new TextDecoder("windows-1252")).decode(bytes);
}
