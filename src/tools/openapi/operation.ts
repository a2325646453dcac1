import { isObject } from "../../core/base/is-object";
import { cutText } from "../../core/base/whole-characters";
import { callable } from "../../core/signature/json-schema/argument-names";
import type { SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";
import { Unusable } from "../source";
import type { OpenApiDocument, RawObject } from "./document";

/** One thing that a service can do. */
export interface Operation {
  id: string;
  /** In capitals. */
  method: string;
  /** As in the document: `/orders/{id}`. */
  path: string;
  description: string;
  parameters: Parameter[];
  body: Body | undefined;
  /** Of what a success gives; undefined = anything. */
  output: SchemaOrBoolean | undefined;
  /** Alternatives, each with all the schemes that it needs. */
  security: string[][];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required: boolean;
  schema: SchemaOrBoolean;
  description: string | undefined;
  style: string;
  explode: boolean;
  /** Its value is sent as JSON. */
  json: boolean;
}

export interface Body {
  kind: "json" | "form";
  required: boolean;
  schema: SchemaOrBoolean;
  contentType: string;
}

/** An operation before it is read: where it stands, and what it is called. */
export interface FoundOperation {
  id: string;
  method: string;
  path: string;
  item: RawObject;
  raw: RawObject;
}

const METHODS = ["get", "put", "post", "delete", "head", "patch"];
const PLACES = ["path", "query", "header", "cookie"];
const DEFAULT_STYLE = { path: "simple", header: "simple", query: "form", cookie: "form" };
/** The sender of the request sets it; the specification ignores parameters of these names. */
const OUR_HEADERS = ["accept", "content-type", "authorization", "idempotency-key"];

const isJson = (type: string): boolean => /^application\/([\w.+-]+\+)?json\b/i.test(type);

/** Lists the operations of a document, in its order. */
export function findOperations({ raw, reader }: OpenApiDocument): FoundOperation[] {
  return Object.entries(raw.paths as RawObject).flatMap(([path, given]) => {
    if (!isObject(given)) return [];
    const item = reader.follow(given) as RawObject;
    const methods = Object.keys(item).filter((key) => METHODS.includes(key) && isObject(item[key]));
    return methods.map((method) => {
      const one = item[method] as RawObject;
      const id = typeof one.operationId === "string" && one.operationId !== "" ? one.operationId : madeUp(method, path);
      return { id, method: method.toUpperCase(), path, item, raw: one };
    });
  });
}

/** `get_orders_id` for GET /orders/{id}. */
const madeUp = (method: string, path: string): string => callable(`${method} ${path.replace(/[{}]/g, "")}`);

/** @throws Unusable for what cannot be sent, SchemaError for a reference that leads nowhere */
export function readOperation(found: FoundOperation, { raw: document, reader }: OpenApiDocument): Operation {
  const { id, method, path, item, raw } = found;
  return {
    id,
    method,
    path,
    description: textOf(raw.summary, raw.description),
    parameters: parametersOf(item, raw, reader),
    body: bodyOf(raw.requestBody, reader),
    output: outputOf(raw.responses, reader),
    security: securityOf(raw.security ?? document.security),
  };
}

/** The summary, then the description, unless both are the same. */
function textOf(summary: unknown, description: unknown): string {
  const texts = [summary, description].filter((text): text is string => typeof text === "string" && text.trim() !== "");
  return [...new Set(texts.map((text) => text.trim().replace(/\.$/, "")))].join(". ");
}

/** The path's own come first; an operation's replace those of the same name and place. */
function parametersOf(item: RawObject, raw: RawObject, reader: SchemaReader): Parameter[] {
  const all = new Map<string, Parameter>();
  for (const given of [...listOf(item.parameters), ...listOf(raw.parameters)]) {
    const parameter = parameterOf(reader.follow(given) as RawObject);
    if (parameter.in === "header" && OUR_HEADERS.includes(parameter.name.toLowerCase())) continue;
    all.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...all.values()];
}

function parameterOf(raw: RawObject): Parameter {
  if (typeof raw.name !== "string" || !PLACES.includes(raw.in))
    throw new Unusable(
      `a parameter needs a name and a place (${PLACES.join(", ")}), got ${cutText(JSON.stringify(raw), 80)}`,
    );
  const place = raw.in as Parameter["in"];
  const [type, media] = Object.entries(isObject(raw.content) ? (raw.content as RawObject) : {})[0] ?? [];
  if (type !== undefined && !isJson(type))
    throw new Unusable(`its parameter ${raw.name} is ${type}: only JSON is sent`);
  const style = typeof raw.style === "string" ? raw.style : DEFAULT_STYLE[place];
  return {
    name: raw.name,
    in: place,
    required: place === "path" || raw.required === true,
    schema: (media?.schema ?? raw.schema ?? {}) as SchemaOrBoolean,
    description: typeof raw.description === "string" ? raw.description : undefined,
    style,
    explode: typeof raw.explode === "boolean" ? raw.explode : style === "form",
    json: type !== undefined,
  };
}

function bodyOf(given: unknown, reader: SchemaReader): Body | undefined {
  if (!isObject(given)) return undefined;
  const raw = reader.follow(given) as RawObject;
  const types = Object.entries(isObject(raw.content) ? (raw.content as RawObject) : {});
  if (types.length === 0) return undefined;
  const json = types.find(([type]) => isJson(type));
  const form = types.find(([type]) => /^application\/x-www-form-urlencoded\b/i.test(type));
  const [contentType, media] = json ?? form ?? [];
  if (contentType === undefined)
    throw new Unusable(
      `its body is ${types.map(([type]) => type).join(" or ")}: only JSON and URL-encoded forms are sent`,
    );
  const schema = (media?.schema ?? {}) as SchemaOrBoolean;
  return { kind: json ? "json" : "form", required: raw.required === true, schema, contentType };
}

/** Of the first success that has one. */
function outputOf(given: unknown, reader: SchemaReader): SchemaOrBoolean | undefined {
  const responses = Object.entries(isObject(given) ? (given as RawObject) : {})
    .filter(([status]) => /^2(\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, response] of responses) {
    const { content } = reader.follow(response as RawObject);
    const json = Object.entries(isObject(content) ? (content as RawObject) : {}).find(([type]) => isJson(type));
    if (json?.[1]?.schema !== undefined) return json[1].schema as SchemaOrBoolean;
  }
  return undefined;
}

const securityOf = (given: unknown): string[][] => listOf(given).map((one) => Object.keys(one));

const listOf = (given: unknown): RawObject[] => (Array.isArray(given) ? given.filter(isObject) : []) as RawObject[];
