import { isInherit } from "../../plan/model-name.ts";
import { plural } from "../../run/amounts.ts";
import { whyOff } from "../tools-here.ts";
import { type Check, type Examination, type Finding, pass } from "./check.ts";
import type { KnownModels, ModelName } from "./sources.ts";

/** Whether the named models can be used: known to pi, and with credentials. */
export const checkModels: Check = {
	name: "models",
	async *run({ sources, signal }) {
		const models = await sources.models(signal);
		if (typeof models === "string") {
			yield { level: "warn", what: "Models were not checked", detail: models };
			return;
		}
		const { available } = models;
		if (available.length === 0) {
			yield {
				level: "fail",
				what: "No model has credentials",
				remedy: "Log in with /login in pi, or set the API key of a provider.",
			};
			return;
		}
		const providers = new Set(available.map(({ provider }) => provider));
		yield pass(`${plural(available.length, "model")} with credentials`, [...providers].sort().join(", "));
		if (models.ofSession) yield* await triedSource(models.ofSession, { models, level: "fail", where: "this session" });
		for (const named of namedModels(sources)) {
			yield* await findingsOn(named, models);
		}
		for (const agent of sources.catalog.agents) {
			if (whyOff(agent, sources.config.config) !== undefined) continue;
			const warnings = (await sources.thinking?.(agent)) ?? [];
			yield* warnings.map((what): Finding => ({ level: "warn", what, detail: agent.name, remedy: ANOTHER_LEVEL }));
		}
	},
};

interface NamedModel {
	name: string;
	where: string;
	/** What runs do without the model. */
	without?: string;
}

function namedModels({ config, catalog }: Examination["sources"]): NamedModel[] {
	const { defaults, list } = config.config.agents;
	return [
		{ name: defaults.subagents.model, where: "agents.defaults.subagents.model in pi-geon.json" },
		...defaults.subagents.fallbackModels.map((name) => ({
			name,
			where: "agents.defaults.subagents.fallbackModels in pi-geon.json",
			without: LEFT_OUT,
		})),
		...list.map(({ id, subagents }) => ({ name: subagents.model, where: `agents.list[${id}] in pi-geon.json` })),
		...catalog.agents
			.filter((agent) => whyOff(agent, config.config) === undefined)
			.flatMap(({ model, fallbackModels = [], name, file }) => [
				{ name: model, where: `${name} (${file})` },
				...fallbackModels.map((each) => ({
					name: each,
					where: `fallbackModels of ${name} (${file})`,
					without: LEFT_OUT,
				})),
			]),
	].flatMap(({ name, ...rest }) => (name && !isInherit(name) ? [{ name, ...rest }] : []));
}

const ANOTHER_LEVEL = "Name a level that the model has, or another model.";

const LEFT_OUT = "Runs leave it out of their fallback models, and say so.";

const NEXT_ONE = "Runs use the next model in the order, and say so.";

async function findingsOn({ name, where, without = NEXT_ONE }: NamedModel, models: KnownModels): Promise<Finding[]> {
	const resolved = await models.resolve(name);
	if (resolved) {
		const surprises = (resolved.warnings ?? []).map((what): Finding => ({ level: "warn", what, detail: where }));
		return [...surprises, ...(await triedSource(resolved.model, { models, level: "warn", where }))];
	}
	const known = models.isKnown(name);
	const detail = `${where}. ${without}`;
	const remedy = "Log in to its provider, or name another model.";
	if (known) return [{ level: "warn", what: `The model ${name} has no credentials`, detail, remedy }];
	return [
		{
			level: "warn",
			what: known === undefined ? `The model ${name} is unknown or has no credentials` : `There is no model ${name}`,
			detail,
			remedy: known === undefined ? remedy : "Correct the name: `pi --list-models` has those that can be used.",
		},
	];
}

/** For a model with credentials, only an extension can be a problem. */
async function triedSource(
	model: ModelName,
	{ models, level, where }: { models: KnownModels; level: Finding["level"]; where: string },
): Promise<Finding[]> {
	const source = await models.trySource?.(model);
	if (!source) return [];
	const name = `${model.provider}/${model.id}`;
	if (source.kind === "extensions") {
		return [pass(`Subagents can use ${name}: the extension that provides it loads in a host`, source.files.join(", "))];
	}
	if (source.kind === "pi")
		return source.warning === undefined ? [] : [{ level: "warn", what: source.warning, detail: where }];
	return [
		{
			level,
			what: `Subagents cannot use ${name}: it comes from an extension, and ${source.why}`,
			detail: where,
			remedy: "Correct the extension, or set agents.defaults.subagents.model in pi-geon.json.",
		},
	];
}
