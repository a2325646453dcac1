import { z } from "zod";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import type { Scope } from "../../node/identity/scopes";
import { PROBLEM_TYPE, Problem } from "../requests/problem";
import { SESSION_COOKIE } from "../requests/session-cookie";

/** The description of one operation in the OpenAPI document. */
export interface DescribedOperation {
  method: "get" | "post" | "delete";
  /** `/api/missions/{id}` */
  path: string;
  operation: string;
  summary: string;
  tag: string;
  /** The scopes that a token needs for it. */
  needs: readonly Scope[];
  /** All paths below it, with any method, are this operation, too. */
  below?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** absent = the answer is no JSON, or has no body */
  answer?: z.ZodType;
  /** Default: `application/json`. */
  answerType?: string;
  status?: number;
  /** The codes that it raises besides those of every request. */
  errors?: readonly string[];
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The OpenAPI 3.1 document of the operations, whose schemas are those that check requests (web reference, section 4). */
export function openApiDocument(operations: readonly DescribedOperation[], version: string): JsonObject {
  const schemas = new Schemas();
  const paths: { [path: string]: JsonObject } = {};
  for (const one of operations) paths[one.path] = { ...paths[one.path], [one.method]: described(one, schemas) };
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: DIALECT,
    info: {
      title: "Navigator",
      version,
      description: "Durable agent tasks: missions, tasks, plans, and what people decide.",
    },
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      schemas: schemas.named,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
      },
    },
  };
}

function described(one: DescribedOperation, schemas: Schemas): JsonObject {
  const { operation, summary, tag, params, query, body, answer, answerType, status = 200 } = one;
  const answered: JsonObject = answer === undefined ? {} : { schema: schemas.of(answer, "output") };
  return {
    operationId: operation,
    summary,
    tags: [tag],
    ...descriptionOf(one),
    parameters: [...parameters("path", params, schemas), ...parameters("query", query, schemas)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemas.of(body, "input") } } } }),
    responses: {
      [String(status)]: {
        description: summary,
        ...(answer === undefined && answerType === undefined
          ? {}
          : { content: { [answerType ?? "application/json"]: answered } }),
      },
      default: {
        description: "What was wrong",
        content: { [PROBLEM_TYPE]: { schema: schemas.of(Problem, "output") } },
      },
    },
  };
}

function descriptionOf({ needs, errors = [] }: DescribedOperation): JsonObject {
  const listed = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");
  const lines = [
    ...(needs.length === 0 ? [] : [`Scopes: ${listed(needs)}.`]),
    ...(errors.length === 0 ? [] : [`Errors: ${listed(errors)}.`]),
  ];
  return lines.length === 0 ? {} : { description: lines.join(" ") };
}

function parameters(place: "path" | "query", given: z.ZodObject | undefined, schemas: Schemas): Json[] {
  return Object.entries(given?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === "path" || !(field as z.ZodType).safeParse(undefined).success,
    schema: schemas.of(field as z.ZodType, "input"),
  }));
}

/** Collects JSON Schemas: those with a name stand once in the document. */
class Schemas {
  readonly named: { [name: string]: Json } = {};

  of(schema: z.ZodType, io: "input" | "output"): Json {
    const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonObject;
    for (const [name, definition] of Object.entries($defs as JsonObject)) this.name(nameOf(name), pointing(definition));
    const id = schema.meta()?.id;
    if (id === undefined || rest.$ref !== undefined) return pointing(rest);
    const { id: _name, ...whole } = rest;
    this.name(id, pointing(whole));
    return { $ref: `#/components/schemas/${id}` };
  }

  private name(name: string, definition: Json): void {
    const { id: _, ...whole } = isObject(definition) ? definition : {};
    const known = this.named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(whole))
      throw new Error(`Two schemas of the API have the name ${name}.`);
    this.named[name] = whole;
  }
}

/** The only schema without a name that contains itself is that of any JSON value. */
const nameOf = (name: string): string => (name.startsWith("__schema") ? "Json" : name);

/** References as OpenAPI has them. */
function pointing(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(pointing);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === "$ref" && typeof value === "string"
        ? [key, `#/components/schemas/${nameOf(value.replace(/^#\/\$defs\//, ""))}`]
        : [key, pointing(value as Json)],
    ),
  );
}
