export { packageRoot } from "../config/package-root.ts";
