import { getAgentDir } from "@earendil-works/pi-coding-agent";
import type { AskForTree } from "../plan/tree.ts";
import { treeTrouble } from "../trees/tree-trouble.ts";

/** No tree may hold a copy of pi's own folder, where the credentials are. */
export const treeTroubleHere: AskForTree = (cwd, tree) => treeTrouble(cwd, tree, [getAgentDir()]);
