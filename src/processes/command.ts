/** The command that turns a pi process into a host. */
export const HOST_COMMAND = "pi-geon-host";

/**
 * Node's arguments for a host. On a machine with much memory, V8 sets aside a hundred megabytes for new objects before it
 * collects garbage; a host is no slower with less (docs/performance.md). Starting at the full size, it collects less
 * garbage while pi loads.
 */
export const NODE_ARGUMENTS: readonly string[] = ["--max-semi-space-size=8", "--min-semi-space-size=8"];

/**
 * More of the environment of a host. Each thread of a process has a pool of memory of its own in glibc: with one for all of
 * them, a host of a thousand runs takes 90 MB less.
 */
export const HOST_MEMORY: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "1" };
