/** The command that turns a pi process into a host. */
export const HOST_COMMAND = "pi-geon-host";

/**
 * What Node is told when it starts a host. V8 keeps a hundred megabytes for new objects on a machine with much memory,
 * before it looks which of them are still needed; a host is no slower with less (docs/performance.md). With as much from
 * the beginning, it collects less garbage while pi is loaded.
 */
export const NODE_ARGUMENTS: readonly string[] = ["--max-semi-space-size=8", "--min-semi-space-size=8"];
