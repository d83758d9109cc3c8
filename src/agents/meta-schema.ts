const schema = { $ref: "#/$defs/schema" };
const schemas = { type: "array", items: schema, minItems: 1 };
const namedSchemas = { type: "object", additionalProperties: schema };
const atLeastZero = { type: "integer", minimum: 0 };
const number = { type: "number" };
const aString = { type: "string" };
const flag = { type: "boolean" };
const textList = { type: "array", items: aString };
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
				required: textList,
				dependentRequired: { type: "object", additionalProperties: textList },
				dependentSchemas: namedSchemas,
				minProperties: atLeastZero,
				maxProperties: atLeastZero,
				items: { anyOf: [schema, schemas] },
				prefixItems: schemas,
				additionalItems: schema,
				contains: schema,
				minContains: atLeastZero,
				maxContains: atLeastZero,
				minItems: atLeastZero,
				maxItems: atLeastZero,
				uniqueItems: flag,
				minimum: number,
				maximum: number,
				exclusiveMinimum: number,
				exclusiveMaximum: number,
				multipleOf: { type: "number", exclusiveMinimum: 0 },
				minLength: atLeastZero,
				maxLength: atLeastZero,
				pattern: { type: "string", format: "regex" },
				format: aString,
				allOf: schemas,
				anyOf: schemas,
				oneOf: schemas,
				not: schema,
				if: schema,
				// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
				then: schema,
				else: schema,
				$ref: aString,
				$id: aString,
				$anchor: aString,
				$defs: namedSchemas,
				definitions: namedSchemas,
				title: aString,
				description: aString,
			},
		},
	},
	type: "object",
	$ref: "#/$defs/schema",
};
