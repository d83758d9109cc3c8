// The build bundles these into one file, which is loaded only if a pool is configured.
export { default as pg } from "pg";
export { PgBoss } from "pg-boss";
