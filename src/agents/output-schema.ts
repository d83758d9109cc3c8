import { Check, Errors } from "typebox/value";
import { messageOf } from "../run/message-of.ts";
import { META_SCHEMA } from "./meta-schema.ts";

type Schema = Record<string, unknown>;

/**
 * The problem with a JSON Schema, if any. Validators ignore a keyword that they cannot read (`type: strin` accepts
 * everything), so this checks the schema's shape. It interprets the schema instead of compiling it: a compiler turns the
 * file's text into code, and the file may come from a project that is not trusted yet.
 */
export function outputSchemaProblem(schema: Schema): string | undefined {
	try {
		const [wrong] = Errors(META_SCHEMA, schema);
		if (wrong) return `${pathInSchema(wrong.instancePath)} ${wrong.message}`;
		const dangling = collect(schema, "$ref").find((ref) => !resolves(ref, schema));
		if (dangling !== undefined) return `$ref "${dangling}" leads nowhere`;
		if (expandedSize(schema, schema, new Map()) > LARGEST_SCHEMA) return "it is too large once its $refs are followed";
		Check(schema, null);
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}

/** A few lines of $refs that double each other would keep a validator busy for hours. */
const LARGEST_SCHEMA = 10_000;

/** How many values a validator may meet. Each $ref counts with its target; one that leads back to itself counts once. */
function expandedSize(value: unknown, schema: Schema, known: Map<string, number>): number {
	if (!isObject(value)) return 1;
	return Object.entries(value).reduce((sum, [key, inner]) => {
		if (key !== "$ref" || typeof inner !== "string") return sum + expandedSize(inner, schema, known);
		if (!known.has(inner)) {
			known.set(inner, 1);
			known.set(inner, expandedSize(referredTo(inner, schema), schema, known));
		}
		return sum + (known.get(inner) ?? 1);
	}, 1);
}

const pathInSchema = (pointer: string): string =>
	pointer === "" ? "the schema" : pointer.slice(1).replaceAll("/", ".");

/** The text values of a keyword, at any depth. */
function collect(value: unknown, keyword: string): string[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) =>
		key === keyword && typeof inner === "string" ? [inner] : collect(inner, keyword),
	);
}

function resolves(ref: string, schema: Schema): boolean {
	if (ref === "#") return true;
	if (!ref.startsWith("#/")) {
		return collect(schema, "$id").includes(ref) || collect(schema, "$anchor").includes(ref.slice(1));
	}
	return referredTo(ref, schema) !== undefined;
}

/** The target of a $ref by path. */
function referredTo(ref: string, schema: Schema): unknown {
	if (ref === "#") return schema;
	return ref
		.slice(2)
		.split("/")
		.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
		.reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), schema);
}

const isObject = (value: unknown): value is Schema => typeof value === "object" && value !== null;
