import type { Problem } from "../../../src/web/requests/problem";

/** An answer of the API that is no success: the problem that it names. */
export class RequestError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

let csrf = "";
/** What the page sends with changes. */
export const setCsrf = (text: string): void => {
  csrf = text;
};

type Query = { [name: string]: string | number | boolean | undefined };

/** `/api/...`, with a query. Parts of the path are encoded by the caller: `runPath`. */
function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** @throws RequestError */
async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const isProblem = response.headers.get("content-type")?.includes("problem+json");
  const problem = isProblem ? ((await response.json()) as Problem) : unknownProblem(response);
  // The page asks its person to log in again.
  if (problem.code === "unauthenticated" && !new URL(response.url).pathname.startsWith("/api/session"))
    dispatchEvent(new Event("navigator:session-over"));
  throw new RequestError(problem);
}

const unknownProblem = ({ status, statusText }: Response): Problem => ({
  type: "about:blank",
  title: "The server answered something else.",
  status,
  code: "server_error",
  detail: `The server answered ${status} ${statusText}.`,
});

const offline: Problem = {
  type: "about:blank",
  title: "The server cannot be reached.",
  status: 0,
  code: "server_error",
  detail: "Mission Control's server does not answer.",
  hint: "Start it again: navigator dev",
};

async function sent(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError(offline);
  }
}

/** @throws RequestError */
export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return answered<T>(
    await sent(addressOf(path, query), { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) }),
  );
}

/** @throws RequestError */
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return answered<T>(
    await sent(path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-navigator-csrf": csrf },
      body: JSON.stringify(body),
    }),
  );
}

/** The address of a workflow in the API, whose id has slashes. */
export const runPath = (workflowId: string, part = ""): string => `/api/runs/${encodeURIComponent(workflowId)}${part}`;
