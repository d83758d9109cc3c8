import { createRequire } from "node:module";

/** Put in place of this name by the build. */
declare const YAML_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** The YAML library, loaded when the first file is to be read: most users have no agents but the built-in ones. */
export const yaml = (): typeof import("yaml") => require(typeof YAML_FILE === "undefined" ? "yaml" : YAML_FILE);
