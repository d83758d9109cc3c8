/** A finalized result that is exactly this publishes nothing. The run is still on record. */
export const SILENCE = "ANNOUNCE_SKIP";
