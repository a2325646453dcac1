import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { z } from "zod";
import type { NavigatorClient } from "../../client/client";
import type { Json } from "../../core/base/json";
import { TOO_DEEP, tooDeepAt } from "../../core/base/json/json-problem";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ReadHookEvent } from "../../project/hooks";
import type { WebContext, WebEnv } from "../context/context";
import { ownWorkflowId } from "../requests/own-run";
import { checkWebhook, type SentWebhook } from "../requests/signed-webhook";

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
 * `POST /api/hooks/{name}`: an event of another system, signed by it, is recorded in the journal of a mission, which goes on if it
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
  throw new NavigatorError("invalid_input", `The event of "${name}" does not say for whom it is.`, {
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
  // The note is what tells later whose record it is.
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
    // The mission has gone on since: the record tells whether it is this event's.
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

/** The same event, of which the project now makes something else: a mission has each event once. */
const takenBefore = (recorded: string, id: string): NavigatorError =>
  new NavigatorError(
    "already_exists",
    `The mission has this event already, as "${recorded}": nothing is recorded as "${id}".`,
    {
      hint: `An event counts once for a mission. If "${id}" is right, write it: navigator journal set ID ${id} VALUE`,
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
