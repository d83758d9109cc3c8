/** A finalized result that is exactly this publishes nothing. The run is on record all the same. */
export const SILENCE = "ANNOUNCE_SKIP";
