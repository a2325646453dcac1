import type { JsonObject } from "../../core/base/json";
import { ToolFailure } from "../errors";
import type { SortedArguments } from "./arguments";
import type { Operation, Parameter } from "./operation";
import type { Credential } from "./security";
import { headerText, pathText, queryPairs } from "./serialize";

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
    throw new ToolFailure(`invalid arguments: the header ${name} cannot hold this text`, { code: "invalid_tool_args" });
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
