import { createRequire } from "node:module";

/** The build replaces this name. */
declare const POOL_ENGINE_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** pg-boss and the driver of PostgreSQL, loaded when the first pool is opened: most users have none. */
export const engine = (): typeof import("./libraries.ts") =>
	require(typeof POOL_ENGINE_FILE === "undefined" ? "./libraries.ts" : POOL_ENGINE_FILE);
