import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { ToolFailure } from "../errors";
import type { SortedArguments } from "./arguments";
import type { Operation, Parameter } from "./operation";
import type { Credential } from "./security";

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Headers;
  body: string | undefined;
}

export interface RequestSettings {
  /** Without a slash at its end. */
  baseUrl: string;
  /** Of the settings: on every request. */
  headers: { [name: string]: string };
  credentials: readonly Credential[];
}

/** An operation with its arguments as a request. @throws ToolFailure for what cannot be sent */
export function requestOf(operation: Operation, args: SortedArguments, settings: RequestSettings): HttpRequest {
  const { credentials } = settings;
  const of = (place: Parameter["in"]) => args.parameters.filter(({ parameter }) => parameter.in === place);
  const own = (place: Credential["in"]) => credentials.filter((one) => one.in === place);
  const pair = ({ name, value }: Credential) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;

  let path = operation.path;
  for (const { parameter, value } of of("path"))
    path = path.replaceAll(`{${parameter.name}}`, () => pathText(parameter, value));
  const query = [
    ...of("query").flatMap(({ parameter, value }) => queryPairs(parameter, value)),
    ...own("query").map(pair),
  ];
  const cookies = [
    ...of("cookie").flatMap(({ parameter, value }) => queryPairs(parameter, value)),
    ...own("cookie").map(pair),
  ];
  const fields: [string, string][] = [
    ["accept", "application/json, text/*;q=0.8, */*;q=0.5"],
    ["user-agent", "navigator"],
    ...Object.entries(settings.headers),
    ...of("header").map(({ parameter, value }): [string, string] => [parameter.name, headerText(parameter, value)]),
    ...own("header").map(({ name, value }): [string, string] => [name, value]),
    ...(cookies.length > 0 ? [["cookie", cookies.join("; ")] as [string, string]] : []),
  ];
  const headers = new Headers();
  for (const [name, value] of fields) setHeader(headers, name, value);
  const body = bodyText(operation, args.body);
  if (body !== undefined) headers.set("content-type", operation.body?.contentType ?? "application/json");
  return {
    method: operation.method,
    url: new URL(`${settings.baseUrl}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`),
    headers,
    body,
  };
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new ToolFailure(`invalid arguments: the header ${name} cannot contain this text`, {
      code: "invalid_tool_args",
    });
  }
}

function bodyText(operation: Operation, body: SortedArguments["body"]): string | undefined {
  if (body === undefined) return undefined;
  if (operation.body?.kind !== "form") return JSON.stringify(body);
  const field = (name: string): Parameter => ({
    name,
    in: "query",
    required: false,
    schema: {},
    description: undefined,
    style: "form",
    explode: true,
    json: false,
  });
  return Object.entries(body as JsonObject)
    .flatMap(([name, value]) => queryPairs(field(name), value))
    .join("&");
}

/** Values of parameters as a request carries them, by the styles of the OpenAPI specification. */

/** What stands for `{name}` in the path. */
export function pathText(parameter: Parameter, value: Json): string {
  const text = styled(parameter, value, encodeURIComponent);
  // An empty one, or dots, would make it the path of something else.
  if (text === "" || /^\.{1,2}$/.test(text))
    throw new ToolFailure(`invalid arguments: ${parameter.name} cannot be ${JSON.stringify(value)} in a path`, {
      code: "invalid_tool_args",
    });
  return text;
}

function styled(parameter: Parameter, value: Json, encode: (text: string) => string): string {
  const { name, style, explode } = parameter;
  const plain = (separator: string) => joined(parameter, value, separator, encode);
  switch (style) {
    case "label":
      return `.${plain(explode ? "." : ",")}`;
    case "matrix":
      return explode && typeof value === "object" && value !== null
        ? pairs(value, name)
            .map(([key, one]) => `;${encode(key)}=${encode(one)}`)
            .join("")
        : `;${encode(name)}=${plain(",")}`;
    default:
      return plain(",");
  }
}

/** Lists as their items; objects as `key,value` or, exploded, `key=value`. */
function joined(parameter: Parameter, value: Json, separator: string, encode: (text: string) => string): string {
  if (parameter.json) return encode(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((item) => encode(textOf(item))).join(separator);
  if (!isObject(value)) return encode(textOf(value));
  const equals = parameter.explode ? "=" : separator;
  return Object.entries(value)
    .map(([key, item]) => `${encode(key)}${equals}${encode(textOf(item))}`)
    .join(separator);
}

/** Writes the value of a header parameter. */
export const headerText = (parameter: Parameter, value: Json): string => joined(parameter, value, ",", (text) => text);

const SEPARATORS: { [style: string]: string } = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C" };

/** `name=value` pairs, encoded: of a query, or of a form in the body. */
export function queryPairs(parameter: Parameter, value: Json): string[] {
  const { name, style, explode, json } = parameter;
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${text}`;
  if (json || value === null || typeof value !== "object") {
    const text = json ? JSON.stringify(value) : textOf(value);
    return [pair(name, encodeURIComponent(text))];
  }
  if (style === "deepObject") return deep(name, value).map(([key, text]) => pair(key, encodeURIComponent(text)));
  if (explode) return pairs(value, name).map(([key, text]) => pair(key, encodeURIComponent(text)));
  // An empty list is no value: an empty text would be one.
  const text = joined(parameter, value, SEPARATORS[style] ?? ",", encodeURIComponent);
  return text === "" ? [] : [pair(name, text)];
}

/** Lists repeat the name, objects have their own. */
function pairs(value: Json[] | { [key: string]: Json }, name: string): [string, string][] {
  if (Array.isArray(value)) return value.map((item) => [name, textOf(item)]);
  return Object.entries(value).map(([key, item]) => [key, textOf(item)]);
}

/** `filter[from][day]=1` */
function deep(name: string, value: Json): [string, string][] {
  if (value === null || typeof value !== "object") return [[name, textOf(value)]];
  const entries = Array.isArray(value) ? value.map((item): [string, Json] => ["", item]) : Object.entries(value);
  return entries.flatMap(([key, item]) => deep(`${name}[${key}]`, item));
}

/** What nests where the style knows no nesting goes as JSON. */
function textOf(value: Json): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
