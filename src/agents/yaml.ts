import { createRequire } from "node:module";

/** The build replaces this name. */
declare const YAML_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** The YAML library, loaded for the first file: most users have only the built-in agents. */
export const yaml = (): typeof import("yaml") => require(typeof YAML_FILE === "undefined" ? "yaml" : YAML_FILE);
