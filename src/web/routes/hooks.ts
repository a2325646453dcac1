import { createHash, createHmac } from "node:crypto";
import type { Hono } from "hono";
import { z } from "zod";
import { webhookSignature } from "../../activities/notify/webhook";
import type { NavigatorClient } from "../../client/client";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { TOO_DEEP, tooDeepAt } from "../../core/base/json/json-problem";
import { NavigatorError } from "../../core/base/navigator-error";
import { sameText } from "../../node/http/authenticate";
import { shellWord } from "../../node/shell-word";
import type { HOOK_SIGNATURES, ReadHookEvent } from "../../project/hooks";
import type { WebContext, WebEnv } from "../context/context";
import { ownWorkflowId } from "../requests/own-run";

const Event = z.object({
  mission: z.string().min(1),
  record: z.string().min(1),
  value: z.json().optional(),
  note: z.string().optional(),
});

/** What became of a webhook. */
export const HookAnswer = z
  .object({
    taken: z.boolean().meta({ description: "false: it is an event that the project does not want" }),
    workflow_id: z.string().optional(),
    record: z.string().optional(),
  })
  .meta({ id: "HookAnswer" });

/**
 * `POST /api/hooks/{name}`: an event of another system, signed by it, is recorded in the journal of a mission, which continues if it
 * waits (web reference, section 15). Each event counts once for a mission.
 */
export function hookRoutes(app: Hono<WebEnv>, web: WebContext): void {
  app.post("/api/hooks/:name", async (c) => {
    const name = c.req.param("name");
    const sent = { text: await c.req.text(), headers: Object.fromEntries(c.req.raw.headers) };
    const address = { mission: c.req.query("mission"), record: c.req.query("record") };
    try {
      return c.json(await taken(web, name, { ...sent, address }));
    } catch (error) {
      const code = error instanceof NavigatorError ? error.code : "internal_error";
      // Its sender alone would know, and nobody there reads the answers. What came is never logged.
      web.log.warn("hook_refused", { hook: knownHook(web, name) === undefined ? "unknown" : name, code });
      throw error;
    }
  });
}

/** Not what every object has, such as `constructor`. */
const knownHook = ({ project: { hooks = {} } }: WebContext, name: string) =>
  Object.hasOwn(hooks, name) ? hooks[name] : undefined;

async function taken(
  web: WebContext,
  name: string,
  sent: SentWebhook & { address: { [part: string]: string | undefined } },
): Promise<z.input<typeof HookAnswer>> {
  const hook = knownHook(web, name);
  if (hook === undefined)
    throw new NavigatorError("not_found", `The project has no hook "${name}".`, {
      details: { path: name, kind: "route" },
    });
  const secret = process.env[hook.secret_env];
  if (!secret) {
    web.log.error("hook_has_no_secret", { hook: name, variable: hook.secret_env });
    throw new NavigatorError("not_found", `The hook "${name}" is not set up.`, {
      hint: "The log has more.",
      details: { path: name, kind: "route" },
    });
  }
  const eventId = checkWebhook(hook.signed, sent, secret, Date.now());
  const body = bodyOf(sent.text);
  const event =
    hook.event === undefined ? sent.address : readEvent(web, { name, read: hook.event }, body, sent.headers);
  if (event === null) return { taken: false };
  const { client } = await web.backend();
  return take(client, { name, eventId, event: checkedEvent(event, name), body });
}

function bodyOf(text: string): Json {
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    throw new NavigatorError("invalid_input", "The body of the webhook is no JSON.", { details: { path: "body" } });
  }
  if (tooDeepAt(body) === undefined) return body;
  throw new NavigatorError("invalid_input", `The body of the webhook cannot be taken: ${TOO_DEEP}.`, {
    details: { path: "body" },
  });
}

/** What the project makes of an event. Its own mistake is for its log: the sender can only send the event again. */
function readEvent(
  web: Pick<WebContext, "log">,
  { name, read }: { name: string; read: ReadHookEvent },
  body: Json,
  headers: SentWebhook["headers"],
): unknown {
  try {
    return read(body, headers);
  } catch (error) {
    web.log.error("hook_event_threw", { hook: name, error: error instanceof Error ? `${error.stack}` : String(error) });
    throw new NavigatorError("hook_failed", `The project's function for events of "${name}" failed on this one.`, {
      hint: "It was not taken. The log of the server has more; send it again when that is mended.",
      cause: error,
    });
  }
}

function checkedEvent(event: unknown, name: string): z.output<typeof Event> {
  if (tooDeepAt(event) !== undefined)
    throw new NavigatorError("invalid_input", `The event of "${name}" cannot be taken: ${TOO_DEEP}.`, {
      details: { path: "event" },
    });
  const checked = Event.safeParse(event);
  if (checked.success) return checked.data;
  throw new NavigatorError("invalid_input", `The event of "${name}" does not name its receiver.`, {
    hint: "`event` of the hook gives {mission, record, value?, note?}; with address_unsigned the address has ?mission=ID&record=ID.",
    details: { path: "event" },
  });
}

/** @throws NavigatorError `not_found`, `already_exists` by somebody else or by another event */
async function take(
  client: NavigatorClient,
  { name, eventId, event, body }: { name: string; eventId: string; event: z.output<typeof Event>; body: Json },
): Promise<z.input<typeof HookAnswer>> {
  const by = `hook:${name}`;
  const run = client.agent(event.mission);
  const { workflowId: workflow_id } = run.workflow;
  ownWorkflowId(client.project, workflow_id);
  const { record: id, value = body } = event;
  // The note shows later which event made the record.
  const mark = `event ${eventId}`;
  const note = event.note === undefined ? mark : `${event.note} (${mark})`;
  const answer = { taken: true, workflow_id, record: id };
  const updateId = `hook:${createHash("sha256").update(`${name} ${eventId}`).digest("hex").slice(0, 32)}`;
  try {
    const decision = { id, value: value as Json, by, via: "http" as const, note };
    // Never by a signal: a mission only counts one that it cannot take, and the sender would believe that it was taken.
    const { id: recorded } = await client.temporal.withDeadline(Date.now() + TAKEN_MS, () =>
      run.recordDecision(decision, { updateId }),
    );
    if (recorded === id) return answer;
    throw takenBefore(recorded, id);
  } catch (error) {
    const { code, details } = error as { code?: unknown; details?: { taken_as?: unknown } };
    if (details?.taken_as !== undefined) throw error;
    if (code === "no_worker") throw notTaken(error);
    if (code !== "already_exists" && code !== "already_over" && code !== "not_found") throw error;
    // The mission has continued since: the record shows whether this event made it.
    const { rows } = await run.projection();
    const there = rows.find((row) => row.id === id);
    if (there === undefined) throw error;
    if (there.by === by && there.note === note) return answer;
    throw new NavigatorError("already_exists", `"${id}" is already recorded (by ${there.by}), and not by this event.`, {
      hint: "A record is never replaced. Another event needs another record.",
      details: { path: id, kind: "record" },
    });
  }
}

/** The project now gives the event another record id: a mission has each event once. */
const takenBefore = (recorded: string, id: string): NavigatorError =>
  new NavigatorError(
    "already_exists",
    `The mission has this event already, as "${recorded}": nothing is recorded as "${id}".`,
    {
      hint: `An event counts once for a mission. If "${id}" is right, write it: navigator journal set ID ${shellWord(id)} VALUE`,
      details: { path: recorded, kind: "record", taken_as: recorded },
    },
  );

/** Senders give up after some seconds: the answer must come before. */
const TAKEN_MS = 4_000;

/** The same event again finds what became of this one, if it is recorded after all: its id is the same. */
const notTaken = (cause: unknown): NavigatorError =>
  new NavigatorError("no_worker", "No worker answered: it is not known that the mission has the event.", {
    hint: "Send it again. It counts once.",
    details: { retry_after_s: 30 },
    cause,
  });

/** An event is taken so long before and after the time that its signature has, in ms. */
const WINDOW_MS = 5 * 60_000;

/** A webhook as it was sent: the body exactly as it was signed. */
interface SentWebhook {
  text: string;
  /** With names in lower case. */
  headers: { readonly [name: string]: string };
}

type Scheme = (sent: SentWebhook, secret: string, nowMs: number) => string | undefined;

/**
 * Checks the signature of a webhook, and that it was sent now (web reference, section 15).
 *
 * @returns the id of the event: the same for all attempts to deliver it
 * @throws NavigatorError `unauthenticated`, `invalid_input` for one without an id
 */
function checkWebhook(
  scheme: (typeof HOOK_SIGNATURES)[number],
  sent: SentWebhook,
  secret: string,
  nowMs: number,
): string {
  const id = SCHEMES[scheme](sent, secret, nowMs);
  if (id !== undefined && id !== "") return id;
  throw new NavigatorError("invalid_input", `The webhook has no id of its event, as ${scheme} signs them.`, {
    details: { path: "id" },
  });
}

const SCHEMES: { readonly [scheme in (typeof HOOK_SIGNATURES)[number]]: Scheme } = {
  standard: ({ text, headers }, secret, nowMs) => {
    const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signatures = "" } = headers;
    checkTime(Number(time) * 1_000, nowMs);
    const expected = webhookSignature(secret, id, time, text);
    checkOne(signatures.split(" "), expected);
    return id;
  },
  // GitHub signs the body alone, neither a time nor the id of the delivery. So the same body is the same event, also much later.
  github: ({ text, headers }, secret) => {
    checkOne([headers["x-hub-signature-256"] ?? ""], `sha256=${hex(secret, text)}`);
    return createHash("sha256").update(text).digest("hex");
  },
  stripe: ({ text, headers }, secret, nowMs) => {
    const fields = (headers["stripe-signature"] ?? "").split(",").map((field) => field.trim().split("="));
    const of = (name: string) => fields.flatMap(([key, value = ""]) => (key === name ? [value] : []));
    const [time = ""] = of("t");
    checkTime(Number(time) * 1_000, nowMs);
    checkOne(of("v1"), hex(secret, `${time}.${text}`));
    const body = readJson(text);
    return isObject(body) && typeof body.id === "string" ? body.id : undefined;
  },
};

/** null: it is no JSON, and so has no id. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

const hex = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

function checkOne(given: readonly string[], expected: string): void {
  // Compare all, so that the time reveals nothing.
  if (given.filter((one) => sameText(one, expected)).length > 0) return;
  throw new NavigatorError("unauthenticated", "The signature of the webhook is not valid.", {
    hint: "The sender and this server must have the same secret.",
  });
}

function checkTime(at: number, nowMs: number): void {
  if (Math.abs(nowMs - at) <= WINDOW_MS) return;
  throw new NavigatorError("unauthenticated", "The webhook was not signed within the last 5 minutes.", {
    hint: "Check the clock of this server (NTP).",
  });
}
