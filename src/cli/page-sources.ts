import { homedir } from "node:os";
import { join } from "node:path";
import { currentRedactor } from "../collect/redact/current-redactor.ts";
import { packageRoot } from "../config/package-root.ts";
import { packageVersion } from "../config/package-version.ts";
import { runToTell } from "../operate/child.ts";
import { isDenial } from "../operate/denial.ts";
import { runDoctor } from "../operate/doctor/doctor.ts";
import { agentFacts } from "../operate/report/agents.ts";
import type { AgentsHere } from "../page/api/views.ts";
import type { PageSources } from "../page/server/sources.ts";
import { treesRoot } from "../plan/session-place.ts";
import { formatDiagnostic } from "../run/diagnostic.ts";
import { agentsHere } from "./agents-here.ts";
import { sourcesHere } from "./doctor-sources.ts";
import { findPi } from "./find-pi.ts";
import { notUnderway, placeMessage, postMessage, profilesHere, supervisorWith } from "./post-message.ts";
import { agentDir, cliLog, configOfUser, places } from "./surroundings.ts";
import { endedHere } from "./traces-here.ts";

/** What the page's server shows and does, with the same code as the commands. */
export function pageSources(): PageSources {
	const redactor = currentRedactor(agentDir());
	const log = cliLog(redactor);
	return {
		version: packageVersion(),
		cwd: process.cwd(),
		places: places(),
		treesRoot: treesRoot(agentDir(), homedir()),
		bundle: join(packageRoot(), "dist", "page"),
		redactor,
		log,
		agents: agentsOnPage,
		ended: endedHere,
		hasPools: () => configOfUser().config.pools.length > 0,
		async lookAtPools() {
			const { pools } = configOfUser().config;
			if (pools.length === 0) return [];
			const { lookAtPools } = await import("../pool/look.ts");
			return lookAtPools(pools, { agentDir: agentDir(), env: process.env });
		},
		doctor: async (options) => runDoctor(sourcesHere(await findPi()), options),
		async post(record, message, ledger) {
			const sources = { ledger, log, profiles: await profilesHere() };
			const continued = await postMessage(runToTell(ledger, record), message, sources);
			if (isDenial(continued)) return continued;
			const supervisor = supervisorWith(sources);
			try {
				const { record: holder, underway } = await placeMessage(continued, { ...sources, supervisor });
				return {
					status: "accepted",
					how: continued.how,
					runId: holder.run.id,
					underway,
					...(!underway && { note: `${notUnderway(sources)} it starts when its session is opened in pi again.` }),
				};
			} finally {
				supervisor.dispose();
			}
		},
	};
}

async function agentsOnPage(cwd: string): Promise<AgentsHere> {
	const { catalog, isTrusted, untrusted, ...options } = await agentsHere(cwd);
	return {
		cwd,
		isTrusted,
		agents: catalog.agents.map((agent) => {
			const { name, source, readonly, description, file } = agent;
			const { off, tools, warnings } = options.toolsHere(agent);
			const model = options.modelHere(agent);
			const hidden = catalog.overridden.filter((other) => other.name === name);
			return {
				...{ name, source, readonly, description, file, tools },
				...(off !== undefined && { off }),
				model: model.words,
				warnings: [...warnings, ...model.warnings],
				facts: agentFacts(agent, hidden, options),
			};
		}),
		untrusted,
		problems: catalog.diagnostics.map((problem) => ({ severity: problem.severity, text: formatDiagnostic(problem) })),
	};
}
