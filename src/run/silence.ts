/** A finalized result that is exactly this publishes nothing. The run is on record anyway. */
export const SILENCE = "ANNOUNCE_SKIP";
