import path from "node:path";
import { isObject } from "../../core/base/is-object";
import { NavigatorError } from "../../core/base/navigator-error";
import { SchemaReader } from "../../core/signature/json-schema/schema-reader";
import { parseData, readTextFile } from "../../node/data-file";
import { errorText } from "../invoke";

/** An OpenAPI document, unchecked: mistakes in a part are found when the part is used. */
export interface OpenApiDocument {
  /** Path or URL, for messages. */
  place: string;
  raw: RawObject;
  reader: SchemaReader;
}

// biome-ignore lint/suspicious/noExplicitAny: a document of a stranger's; every use checks what it needs
export type RawObject = { [key: string]: any };

const FETCH_MS = 30_000;
const MAX_BYTES = 20 * 1024 * 1024;

/** @throws NavigatorError for a document that cannot be had, is no OpenAPI 3.0 or 3.1, or has no paths */
export async function readDocument(source: string, folder: string): Promise<OpenApiDocument> {
  const isUrl = /^https?:\/\//.test(source);
  const place = isUrl ? source : path.resolve(folder, source);
  const raw = isUrl ? await fetched(source) : fromFile(place);
  const wrong = (problem: string) =>
    new NavigatorError("bad_project", `${place}: ${problem}`, { details: { path: place } });
  if (!isObject(raw)) throw wrong("an OpenAPI document is a map");
  if (raw.swagger !== undefined) throw wrong(`this is Swagger ${raw.swagger}: convert it to OpenAPI 3`);
  if (typeof raw.openapi !== "string" || !/^3\.[01]\.\d/.test(raw.openapi))
    throw wrong(`openapi must be 3.0.x or 3.1.x, is ${JSON.stringify(raw.openapi) ?? "not there"}`);
  if (!isObject(raw.paths)) throw wrong("it has no paths");
  return { place, raw, reader: new SchemaReader(raw) };
}

function fromFile(file: string): unknown {
  try {
    return parseData(readTextFile(file), file);
  } catch (error) {
    if (error instanceof NavigatorError)
      throw new NavigatorError("bad_project", error.message, { details: { path: file } });
    throw error;
  }
}

async function fetched(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`it answers ${response.status} ${response.statusText}`);
    const text = await response.text();
    if (text.length > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return parsed(text);
  } catch (error) {
    throw new NavigatorError(
      "tool_source_failed",
      `The OpenAPI document ${url} cannot be loaded: ${errorText(error)}`,
      { hint: "Check its address.", details: { path: url } },
    );
  }
}

function parsed(text: string): unknown {
  return parseData(text, /^\s*\{/.test(text) ? "document.json" : "document.yaml");
}

/**
 * The address of the service in a document: the first server, its variables filled with their defaults. Undefined when
 * it has no usable one.
 */
export function serverOf({ raw, place }: OpenApiDocument): string | undefined {
  const server: unknown = Array.isArray(raw.servers) ? raw.servers[0] : undefined;
  if (!isObject(server) || typeof server.url !== "string") return undefined;
  const variables = isObject(server.variables) ? server.variables : {};
  const url = server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    return isObject(variable) && typeof variable.default === "string" ? variable.default : whole;
  });
  // A relative one starts at the document; a file is no place on the network.
  const from = /^https?:/.test(place) ? place : undefined;
  if (!URL.canParse(url, from)) return undefined;
  const whole = new URL(url, from).href;
  return /^https?:/.test(whole) ? whole : undefined;
}
