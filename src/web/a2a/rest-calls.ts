import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";

/** A request of the HTTP+JSON binding as a call of JSON-RPC: both bindings then do the same. */
export interface RestCall {
  method: string;
  params: JsonObject;
  /** Of a good answer; default: 200. */
  status?: 201 | 204;
}

type Query = { readonly [name: string]: string };

interface Route {
  verb: string;
  path: RegExp;
  call(parts: string[], query: Query, body: JsonObject): RestCall;
}

const ID = "([^/:]+)";
const push = (name: string) => `${name}TaskPushNotificationConfig`;

const ROUTES: readonly Route[] = [
  { verb: "POST", path: /^message:send$/, call: (_, __, body) => ({ method: "SendMessage", params: body }) },
  { verb: "POST", path: /^message:stream$/, call: (_, __, body) => ({ method: "SendStreamingMessage", params: body }) },
  { verb: "GET", path: /^extendedAgentCard$/, call: () => ({ method: "GetExtendedAgentCard", params: {} }) },
  { verb: "GET", path: /^tasks$/, call: (_, query) => ({ method: "ListTasks", params: listed(query) }) },
  {
    verb: "GET",
    path: new RegExp(`^tasks/${ID}$`),
    call: ([id = ""], { historyLength }) => ({
      method: "GetTask",
      params: { id, ...(historyLength === undefined ? {} : { historyLength: numberIn(historyLength) }) },
    }),
  },
  {
    verb: "POST",
    path: new RegExp(`^tasks/${ID}:cancel$`),
    call: ([id = ""], _, body) => ({ method: "CancelTask", params: { ...body, id } }),
  },
  ...["GET", "POST"].map((verb) => ({
    verb,
    path: new RegExp(`^tasks/${ID}:subscribe$`),
    call: ([id = ""]: string[]) => ({ method: "SubscribeToTask", params: { id } }),
  })),
  {
    verb: "POST",
    path: new RegExp(`^tasks/${ID}/pushNotificationConfigs$`),
    call: ([taskId = ""], _, body) => ({ method: push("Create"), params: { ...body, taskId }, status: 201 }),
  },
  {
    verb: "GET",
    path: new RegExp(`^tasks/${ID}/pushNotificationConfigs$`),
    call: ([taskId = ""]) => ({ method: "ListTaskPushNotificationConfigs", params: { taskId } }),
  },
  {
    verb: "GET",
    path: new RegExp(`^tasks/${ID}/pushNotificationConfigs/${ID}$`),
    call: ([taskId = "", id = ""]) => ({ method: push("Get"), params: { taskId, id } }),
  },
  {
    verb: "DELETE",
    path: new RegExp(`^tasks/${ID}/pushNotificationConfigs/${ID}$`),
    call: ([taskId = "", id = ""]) => ({ method: push("Delete"), params: { taskId, id }, status: 204 }),
  },
];

/**
 * @param path after the address of the interface; the first part may be the tenant, which names a skill
 * @returns null: there is no such operation
 */
export function restCall(verb: string, path: string, query: Query, body: JsonObject): RestCall | null {
  const whole = found(verb, path, query, body);
  if (whole !== null) return withTenant(whole, query.tenant ?? "");
  const [, tenant = "", rest = ""] = /^([^/]+)\/(.+)$/.exec(path) ?? [];
  const below = found(verb, rest, query, body);
  return below === null ? null : withTenant(below, decoded(tenant));
}

function found(verb: string, path: string, query: Query, body: JsonObject): RestCall | null {
  for (const route of ROUTES) {
    const parts = route.verb === verb ? route.path.exec(path) : null;
    if (parts !== null) return route.call(parts.slice(1).map(decoded), query, body);
  }
  return null;
}

/** @throws NavigatorError `invalid_input` */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new NavigatorError("invalid_input", `"${cutText(part, 100)}" in the path is not percent-encoded as UTF-8.`, {
      details: { path: "path" },
    });
  }
}

const withTenant = (call: RestCall, tenant: string): RestCall =>
  tenant === "" ? call : { ...call, params: { ...call.params, tenant } };

const NUMBERS: readonly string[] = ["pageSize", "historyLength"];

/** The query of a list: texts as they are, numbers and truth values as such. */
const listed = (query: Query): JsonObject =>
  Object.fromEntries(
    Object.entries(query).map(([name, text]): [string, Json] => [
      name,
      NUMBERS.includes(name) ? numberIn(text) : name === "includeArtifacts" ? text === "true" : text,
    ]),
  );

/** What is no number is -1, which every operation refuses. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1);
