import type { ErrorObject, FuncKeywordDefinition, Options, ValidateFunction } from "ajv";
import type { Json } from "../../core/base/json";
import type { SchemaOrBoolean } from "../../core/signature/json-schema/schema-reader";

/**
 * Checks values by JSON Schema: drafts 7, 2019-09 and 2020-12, as its `$schema` names it. All keywords are checked,
 * formats included; unknown keywords are annotations.
 */

/** What does not fit, with its place: `lines.0.amount`. "" is the value itself. */
export interface SchemaIssue {
  path: string;
  message: string;
}

/** A value as the schema reads it, or what does not fit. */
export type SchemaRead = { ok: true; value: Json } | { ok: false; issues: SchemaIssue[] };

/** A schema that no value can be checked by: it is no JSON Schema, or refers to what is not in it. */
export class BadSchema extends Error {}

const MAX_ISSUES = 20;

/**
 * @param options.own a schema of the project: its own mistakes are looked for, its defaults are filled in, and all
 *   issues are reported. Those of a server are taken as they are, the server fills in its defaults, and only the first
 *   issue counts. How long a check takes is up to the schema: give one of a server a limit (`stopAfter`).
 * @throws BadSchema
 */
export function jsonSchemaCheck(schema: SchemaOrBoolean, { own }: { own: boolean }): (value: Json) => SchemaRead {
  const validate = compiled(schema, own);
  return (value) => {
    const copy = { value: own ? (structuredClone(value) as Json) : value };
    if (
      validate(copy.value, { parentData: copy, parentDataProperty: "value", instancePath: "", rootData: copy } as never)
    )
      return { ok: true, value: copy.value };
    return { ok: false, issues: (validate.errors ?? []).slice(0, MAX_ISSUES).map(issueOf) };
  };
}

function compiled(schema: SchemaOrBoolean, own: boolean): ValidateFunction {
  const draft = draftOf(schema);
  // Each schema its own instance: two of them may have the same `$id`.
  const options: Options = { strict: false, allErrors: own, useDefaults: own, validateSchema: false, logger: false };
  try {
    const ajv = makeAjv(draft, options);
    if (own && draft !== "other" && !ajv.validateSchema(schema))
      throw new BadSchema((ajv.errors ?? []).slice(0, 3).map(issueOf).map(textOf).join("; "));
    const { $schema: _, ...rest } = typeof schema === "boolean" ? {} : (schema as { $schema?: unknown });
    if ((rest as { $async?: unknown }).$async) throw new BadSchema("$async is no keyword of JSON Schema");
    return ajv.compile(typeof schema === "boolean" ? schema : rest);
  } catch (error) {
    throw error instanceof BadSchema ? error : new BadSchema((error as Error).message);
  }
}

type Draft = "7" | "2019" | "2020" | "other";

/** 2020-12 unless it names another draft, or has the tuples of an older one. */
function draftOf(schema: SchemaOrBoolean): Draft {
  const dialect = typeof schema === "boolean" ? undefined : (schema as { $schema?: unknown }).$schema;
  if (dialect === undefined) return JSON.stringify(schema).includes('"items":[') ? "7" : "2020";
  const text = String(dialect);
  if (text.includes("draft-07") || text.includes("draft-06")) return "7";
  if (text.includes("2019-09")) return "2019";
  return text.includes("2020-12") ? "2020" : "other";
}

function makeAjv(draft: Draft, options: Options) {
  const ajv = new (ajvOf(draft))(options);
  formats()(ajv as never);
  ajv.removeKeyword("multipleOf").addKeyword(DECIMAL_MULTIPLE);
  return ajv;
}

// Loaded when the first JSON Schema is read: most processes have none.
function ajvOf(draft: Draft) {
  if (draft === "7") return (require("ajv") as typeof import("ajv")).Ajv;
  if (draft === "2019") return (require("ajv/dist/2019") as typeof import("ajv/dist/2019")).Ajv2019;
  return (require("ajv/dist/2020") as typeof import("ajv/dist/2020")).Ajv2020;
}

const formats = () => (require("ajv-formats") as typeof import("ajv-formats")).default;

/** Loads what checks need: work that may be ended in the middle must not, a module would stay half loaded. */
export function loadChecks(): void {
  for (const draft of ["7", "2019", "2020"] as const) ajvOf(draft);
  formats();
}

function issueOf({ instancePath, message = "does not fit", params, keyword }: ErrorObject): SchemaIssue {
  const place = instancePath.split("/").slice(1).map(pointerPart);
  const added =
    keyword === "required"
      ? params.missingProperty
      : keyword === "additionalProperties"
        ? params.additionalProperty
        : undefined;
  const path = [...place, ...(typeof added === "string" ? [added] : [])].join(".");
  if (keyword === "required") return { path, message: "is missing" };
  if (keyword === "additionalProperties") return { path, message: "is not allowed" };
  if (keyword === "enum") return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` };
  if (keyword === "const") return { path, message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { path, message };
}

const pointerPart = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

const textOf = ({ path, message }: SchemaIssue): string => (path === "" ? message : `${path} ${message}`);

/**
 * `multipleOf` for the decimal numbers that people and JSON write: 19.99 is a multiple of 0.01. Ajv divides binary numbers, and
 * 19.99 / 0.01 is 1998.9999999999998.
 */
const DECIMAL_MULTIPLE: FuncKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  compile: (unit: number) => {
    const check: ReturnType<NonNullable<FuncKeywordDefinition["compile"]>> = (value: number) => {
      if (isMultiple(value, unit)) return true;
      check.errors = [{ keyword: "multipleOf", message: `must be multiple of ${unit}`, params: { multipleOf: unit } }];
      return false;
    };
    return check;
  },
};

function isMultiple(value: number, unit: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(unit) || unit === 0) return false;
  const [a, b] = [decimalOf(value), decimalOf(unit)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** digits x 10^exponent */
interface Decimal {
  digits: bigint;
  exponent: number;
}

/** The shortest decimal number that is read as this one. */
function decimalOf(value: number): Decimal {
  const [mantissa = "", power = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
