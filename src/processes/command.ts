/** The command that turns a pi process into a host. */
export const HOST_COMMAND = "pi-geon-host";

/**
 * Node's arguments for a host. On a machine with much memory, V8 uses a hundred megabytes for new objects before it collects
 * garbage; a host is as fast with less (docs/performance.md). Starting at the full size, it collects less garbage while pi
 * loads.
 */
export const NODE_ARGUMENTS: readonly string[] = ["--max-semi-space-size=8", "--min-semi-space-size=8"];

/**
 * Variables for a host. By default, glibc gives each thread its own pool of memory. With one pool for all threads, a host
 * with a thousand runs takes 90 MB less.
 */
export const HOST_MEMORY: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "1" };
