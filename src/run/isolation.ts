/**
 * `shared`: in a host with others of its profile. `process`: in a host of its own. `worktree`: in a shared host, and it writes in
 * a tree of its own.
 */
export const ISOLATIONS = ["shared", "process", "worktree"] as const;
export type Isolation = (typeof ISOLATIONS)[number];
