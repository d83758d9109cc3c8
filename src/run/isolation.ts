/** `shared`: in a host with others of its profile. `process`: in a host of its own. */
export const ISOLATIONS = ["shared", "process"] as const;
export type Isolation = (typeof ISOLATIONS)[number];
