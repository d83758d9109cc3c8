/**
 * How long a host may be silent before other processes may give its runs to another host. With the patience below and the
 * start of the next host, the runs of a suspended host reach their model again within 20 s. The variable is for tests.
 */
export const LEASE_MS = Number(process.env.PI_GEON_LEASE_MS) || 13_000;
/** How often it renews its leases and looks at the ledger, in case a wake got lost. */
export const HEARTBEAT_MS = Math.round(LEASE_MS / 7.5);
/**
 * How long a process that sees an expired lease keeps watching while the host's process still exists: more than two
 * heartbeats. After the whole machine slept, or the disk was full, both are equally late, and the host needs the first chance.
 */
export const PATIENCE_MS = Math.round(LEASE_MS / 3);
/** How long a host may take from its start to its first sign of life. */
export const START_WITHIN_MS = 20_000;
