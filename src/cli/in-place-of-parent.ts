import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { Config } from "../config/config.ts";
import { packageRoot } from "../config/package-root.ts";
import { extensionArea, isInside, leadsInto } from "../files/project-area.ts";
import { absentParent } from "../plan/absent-parent.ts";
import type { ParentFacts, PlanSources } from "../plan/launch.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { agentDir } from "./surroundings.ts";
import { toolsOnFile } from "./tool-surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

interface InPlaceOfParent {
	parent: ParentFacts;
	sources: Omit<PlanSources, "findSession">;
}

/** What planning a new task in a session needs without the session's parent: the facts on file for its directory. */
export async function inPlaceOfParent(plan: LaunchPlan, config: Config): Promise<InPlaceOfParent> {
	const { cwd } = plan;
	const { agentsIn: catalogFor } = await import("./catalog.ts");
	const projectTrusted = existsSync(cwd) && trustOnFile(agentDir(), cwd) === true;
	const area = projectTrusted ? [] : extensionArea(cwd, agentDir());
	return {
		parent: absentParent(plan, {
			projectTrusted,
			consent: (agent) => toolsOnFile(cwd).consent(agent),
			mayLoad: (extension) => isInside(packageRoot(), extension) || !leadsInto(extension, area),
		}),
		sources: {
			config,
			catalog: catalogFor(cwd, { includeProject: projectTrusted || "when asked" }),
			sessionsRoot: sessionsRoot(agentDir(), homedir()),
			agentDir: agentDir(),
		},
	};
}
