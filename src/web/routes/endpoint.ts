import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { z } from "zod";
import type { ErrorCode } from "../../core/base/error-codes";
import { type ProjectName, reviewIdIn } from "../../core/base/ids";
import { TOO_DEEP, tooDeepAt } from "../../core/base/json/json-problem";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Scope } from "../../node/identity/scopes";
import type { Backend } from "../../server/backend/backend";
import type { WebApp, WebCaller, WebContext, WebEnv } from "../context/context";
import { ownWorkflowId } from "../requests/own-run";

/** One operation of the API: what it takes and gives, how it fails, and what it does (web reference, section 4). */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  method: "get" | "post" | "delete";
  /** `/api/missions/{id}`. An id with slashes is one part of the path: `agent%2F42`. */
  path: string;
  /** The name of the operation, for clients that are generated. */
  operation: string;
  /** In a few words. */
  summary: string;
  /** Its part of the document. */
  tag: string;
  /** The scopes that a token needs for it; none: every caller may send it. */
  needs: readonly Scope[];
  params?: Params;
  query?: Query;
  body?: Body;
  answer: Answer;
  /** Of a good answer; default: 200. */
  status?: 200 | 201 | 202;
  /** The codes that it raises besides those of every request. */
  errors?: readonly ErrorCode[];
  /** The answer has an ETag: a client that has it already gets 304. */
  tagged?: true;
  run(input: {
    params: z.infer<Params>;
    query: z.infer<Query>;
    body: z.infer<Body>;
    call: EndpointCall;
  }): Promise<z.input<Answer>>;
}

/** What a handler works with. */
export interface EndpointCall extends Backend {
  caller: WebCaller;
  web: WebContext;
  request: Context<WebEnv>;
}

/** Checks the types of an endpoint, and gives it unchanged. */
export function endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
>(definition: Endpoint<Params, Query, Body, Answer>): Endpoint {
  return definition as unknown as Endpoint;
}

/** Adds an endpoint to the app. */
export function register(app: WebApp, web: WebContext, definition: Endpoint): void {
  const { method, params, query, body, status = 200 } = definition;
  app.on(method.toUpperCase(), definition.path.replace(/\{(\w+)\}/g, ":$1"), async (request) => {
    const input = {
      params: params === undefined ? {} : checked(params, request.req.param(), "the path"),
      query: query === undefined ? {} : checked(query, request.req.query(), "the query"),
      body: body === undefined ? undefined : await readBody(request, body),
    };
    const call = { ...(await web.backend()), caller: request.get("caller"), web, request };
    checkOwn(call.client.project, input.params);
    const text = JSON.stringify(await definition.run({ ...input, call }));
    const headers: { [name: string]: string } = { "content-type": "application/json" };
    if (definition.tagged) {
      headers.etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      if (request.req.header("if-none-match") === headers.etag) return request.body(null, 304, { etag: headers.etag });
    }
    return request.body(text, status, headers);
  });
}

/** What the path names is of the project of this server. @throws NavigatorError `not_found` */
function checkOwn(project: ProjectName, { id, review }: { id?: string; review?: string }): void {
  if (id !== undefined) ownWorkflowId(project, id);
  if (review !== undefined) ownWorkflowId(project, reviewIdIn(project, review));
}

/** The body of a request, which is JSON of this shape. @throws NavigatorError `invalid_input` */
export async function readBody<Body extends z.ZodType>(request: Context, schema: Body): Promise<z.output<Body>> {
  const text = await request.req.text();
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new NavigatorError("invalid_input", `The body is no JSON: ${(error as Error).message}.`, {
      details: { path: "body" },
    });
  }
  const deep = tooDeepAt(given);
  if (deep !== undefined)
    throw new NavigatorError("invalid_input", `The body cannot be read: ${TOO_DEEP}, at ${deep}`, {
      details: { path: deep },
    });
  return checked(schema, given, "the body");
}

/** @throws NavigatorError `invalid_input`, with the place of each mistake in `details.issues` */
function checked<Schema extends z.ZodType>(schema: Schema, given: unknown, where: string): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ at: path.join("."), message }));
  const mistakes = issues.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`));
  throw new NavigatorError("invalid_input", `What ${where} reports that does not fit: ${mistakes.join("; ")}.`, {
    details: { path: issues[0]?.at ?? "", issues },
  });
}
