const schema = { $ref: "#/$defs/schema" };
const schemas = { type: "array", items: schema, minItems: 1 };
const namedSchemas = { type: "object", additionalProperties: schema };
const count = { type: "integer", minimum: 0 };
const number = { type: "number" };
const text = { type: "string" };
const flag = { type: "boolean" };
const names = { type: "array", items: text };
const simpleType = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/** The keywords of JSON Schema with a meaning for validation (draft 2020-12, and draft 7's where they differ). */
export const META_SCHEMA = {
	$defs: {
		schema: {
			type: ["object", "boolean"],
			properties: {
				type: { anyOf: [simpleType, { type: "array", items: simpleType, minItems: 1 }] },
				enum: { type: "array", minItems: 1 },
				properties: namedSchemas,
				patternProperties: { type: "object", propertyNames: { format: "regex" }, additionalProperties: schema },
				additionalProperties: schema,
				propertyNames: schema,
				required: names,
				dependentRequired: { type: "object", additionalProperties: names },
				dependentSchemas: namedSchemas,
				minProperties: count,
				maxProperties: count,
				items: { anyOf: [schema, schemas] },
				prefixItems: schemas,
				additionalItems: schema,
				contains: schema,
				minContains: count,
				maxContains: count,
				minItems: count,
				maxItems: count,
				uniqueItems: flag,
				minimum: number,
				maximum: number,
				exclusiveMinimum: number,
				exclusiveMaximum: number,
				multipleOf: { type: "number", exclusiveMinimum: 0 },
				minLength: count,
				maxLength: count,
				pattern: { type: "string", format: "regex" },
				format: text,
				allOf: schemas,
				anyOf: schemas,
				oneOf: schemas,
				not: schema,
				if: schema,
				// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
				then: schema,
				else: schema,
				$ref: text,
				$id: text,
				$anchor: text,
				$defs: namedSchemas,
				definitions: namedSchemas,
				title: text,
				description: text,
			},
		},
	},
	type: "object",
	$ref: "#/$defs/schema",
};
