// What the build makes one file of, which is loaded only where a pool is configured.
export { default as pg } from "pg";
export { PgBoss } from "pg-boss";
