import { z } from "zod";
import { askServed, workerAnswers } from "../../client/ask-query";
import { ask } from "../../client/errors";
import { retryMission } from "../../client/retry-mission";
import { cancelRun, pauseMission, reasonText, resumeMission } from "../../client/run-control";
import { recordOrSignal } from "../../client/runs/record-decision";
import { type RunKind, runKindOf } from "../../client/runs/run-sheet";
import { type TerminatedTree, terminateRun } from "../../client/terminate";
import { defined } from "../../core/base/defined";
import { bareId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { actorOf, deciderOf, requesterOf } from "../requests/callers";
import { ownWorkflowId } from "../requests/own-run";
import { type Endpoint, type EndpointCall, endpoint } from "./endpoint";

const TAG = "Missions, tasks and plans";

/** The workflow that a path names. */
export const runParams = z.object({ id: z.string().min(1).meta({ example: "shop:agent/42" }) });

const note = z.string().max(2_000).optional().meta({ description: "Why; it stands in the history" });
const ActionInput = z.object({ note });

/** What was done to a run. */
const Acted = z
  .object({
    workflow_id: z.string(),
    action: z.enum(["cancel", "terminate", "pause", "resume"]),
    by: z.string().meta({ description: "Under which name; the history has it" }),
    ended: z.array(z.string()).optional().meta({ description: "Of terminate: the runs below it that ended with it" }),
    left: z
      .array(z.object({ workflow_id: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Of terminate: the runs below it that still run, and why" }),
  })
  .meta({ id: "ActedOn" });

type Action = z.infer<typeof Acted>["action"];

/** What can be done to each kind of work while it runs. */
export const ACTIONS_OF: { readonly [kind in RunKind]: readonly Action[] } = {
  agent: ["cancel", "pause", "resume", "terminate"],
  plan: ["cancel", "pause", "resume", "terminate"],
  task: ["cancel", "pause", "resume", "terminate"],
  other: [],
};

const KIND_WORDS: { readonly [kind in RunKind]: string } = {
  agent: "a run of an agent",
  plan: "a plan",
  task: "a task",
  other: "no mission, task or plan",
};

/** @throws NavigatorError `not_found`, `wrong_kind` */
async function act(
  call: EndpointCall,
  id: string,
  action: Action,
  why: string | undefined,
): Promise<z.infer<typeof Acted>> {
  const { client, taskService } = call;
  const given = { by: actorOf(call), note: why };
  const whole = ownWorkflowId(client.project, id);
  const handle = client.temporal.workflow.getHandle(whole);
  const kind = runKindOf((await ask(() => handle.describe())).type);
  if (!ACTIONS_OF[kind].includes(action)) throw cannot(action, whole, kind);
  const task = bareId("task", whole);
  const actOnTask = async (): Promise<unknown> => {
    if (action === "pause") return askServed(handle, () => taskService.pause(task, reasonText(given)));
    if (action === "resume") return askServed(handle, () => taskService.resume(task));
    // Without a worker the request waits for one.
    return (await workerAnswers(handle))
      ? taskService.cancel(task, reasonText(given))
      : client.task(task).signalCancel(given);
  };
  let tree: TerminatedTree | undefined;
  if (action === "terminate") tree = await terminateRun(handle, given);
  else if (kind === "task") await actOnTask();
  else if (action === "pause") await pauseMission(handle, given);
  else if (action === "resume") await resumeMission(handle, given);
  else await cancelRun(handle, given);
  return { workflow_id: whole, action, by: given.by, ...tree };
}

function cannot(action: Action, whole: string, kind: RunKind): NavigatorError {
  const can = ACTIONS_OF[kind];
  return new NavigatorError("wrong_kind", `"${whole}" is ${KIND_WORDS[kind]}: "${action}" is not for it.`, {
    hint: can.length === 0 ? "It cannot be changed from outside." : `Possible are: ${can.join(", ")}`,
    details: { kind, possible: [...can] },
  });
}

const actionEndpoint = (action: Action, summary: string, errors: Endpoint["errors"]): Endpoint =>
  endpoint({
    method: "post",
    path: `/api/runs/{id}/${action}`,
    needs: ["act"],
    operation: `${action}Run`,
    summary,
    tag: TAG,
    params: runParams,
    body: ActionInput,
    answer: Acted,
    errors: ["not_found", "wrong_kind", "forbidden", ...(errors ?? [])],
    run: ({ params, body, call }) => act(call, params.id, action, body.note),
  });

/** The new mission of a retry. */
const Retried = z
  .object({
    workflow_id: z.string().meta({ description: "Of the new mission" }),
    started: z.boolean().meta({ description: "false: an earlier retry still runs, and nothing was started" }),
    of: z.string().meta({ description: "The mission that it continues with: the last try" }),
    taken_over: z.object({
      tasks: z.array(z.string()).meta({ description: "Records of an agent's run, or finished tasks of a plan" }),
      effects: z
        .array(z.object({ key: z.string(), tool: z.string(), state: z.string() }))
        .meta({ description: "What was done, or may have been: it is not done again" }),
      left_out: z.array(z.string()).meta({
        description:
          "Records whose values are nowhere any more: their tasks run again, with the answers of their effects",
      }),
      under_way: z
        .array(z.object({ run: z.string(), what: z.string(), since: z.number() }))
        .meta({ description: "What was under way when it ended: its unreported calls are in no ledger" }),
    }),
  })
  .meta({ id: "RetriedMission" });

const RetryInput = ActionInput.extend({
  afresh: z.boolean().optional().meta({ description: "Takes nothing over: what the mission did is done again" }),
  accept_unknown: z
    .boolean()
    .optional()
    .meta({ description: "Starts also where nobody knows whether calls were made: they may be made again" }),
});

async function retry(
  call: EndpointCall,
  id: string,
  { note: why, afresh, accept_unknown }: z.infer<typeof RetryInput>,
): Promise<z.infer<typeof Retried>> {
  // Refuse a caller who may not act before anything is read.
  const by = actorOf(call);
  const requested_by = requesterOf(call);
  return retryMission(call.client, id, {
    ...{ by, note: why, requested_by, afresh, accept_unknown },
    createTask: (task, drive, tried) => call.taskService.createTask(task, { drive, retry: tried }),
  });
}

const retryRunEndpoint = endpoint({
  method: "post",
  path: "/api/runs/{id}/retry",
  needs: ["act"],
  operation: "retryRun",
  summary: "Retries an ended mission with the same input and a new id; takes over its records and effects",
  tag: TAG,
  params: runParams,
  body: RetryInput,
  answer: Retried,
  status: 201,
  errors: ["not_found", "wrong_kind", "still_running", "already_over", "forbidden", "confirmation_required"],
  run: ({ params, body, call }) => retry(call, params.id, body),
});

const signalRunEndpoint = endpoint({
  method: "post",
  path: "/api/runs/{id}/signal",
  needs: ["decide"],
  operation: "recordDecision",
  summary: "Records a decision in the journal of a mission, signed for the person; a waiting mission continues",
  tag: TAG,
  params: runParams,
  body: z.object({
    id: z.string().min(1).meta({ description: "Journal id", example: "payment_confirmed_42" }),
    value: z.unknown().refine((value) => value !== undefined, "is missing: any JSON value"),
    note,
    overwrite: z.boolean().optional().meta({ description: "Replace a record that exists" }),
    by: z.string().min(1).optional().meta({ description: "Who decides, where the project has no people" }),
  }),
  answer: z.object({
    recorded: z.boolean().meta({ description: "false: no worker answered; it is recorded when one runs" }),
    record: z.looseObject({ id: z.string(), by: z.string() }).optional(),
  }),
  errors: ["not_found", "wrong_kind", "already_exists", "invalid_decision", "not_logged_in", "unverified_decision"],
  run: async ({ params, body, call }) => {
    const { by, key } = deciderOf(call, body.by ?? (call.caller.isLocal ? actorOf(call) : undefined));
    const { id, value, overwrite } = body;
    const decision = { id, value: value as Json, by, via: "http" as const, ...defined({ note: body.note, overwrite }) };
    const record = await recordOrSignal(call.client, call.client.agent(params.id), decision, { key: key ?? null });
    return { recorded: record !== null, ...(record === null ? {} : { record: { ...record } }) };
  },
});

/** At most so many at a time: one request is not to keep the server busy for minutes. */
const MAX_BULK = 200;
/** Calls at a time. */
const AT_ONCE = 8;

const Bulk = z.object({
  ids: z.array(z.string().min(1)).min(1).max(MAX_BULK).meta({ description: "Workflow ids; each is done once" }),
  note,
});

const BulkAnswer = z
  .object({
    done: z.number().meta({ description: "How many went well" }),
    results: z
      .array(
        z.object({
          workflow_id: z.string(),
          ok: z.boolean(),
          new_id: z.string().optional().meta({ description: "Of a retry: the new mission" }),
          code: z.string().optional(),
          message: z.string().optional(),
          hint: z.string().optional(),
          details: z.record(z.string(), z.json()).optional(),
        }),
      )
      .meta({ description: "One for each id, in their order" }),
  })
  .meta({ id: "BulkAnswer" });

/** Acts on each, and returns each outcome: one refusal stops no other. */
async function each(ids: readonly string[], work: (id: string) => Promise<{ new_id?: string }>) {
  const wanted = [...new Set(ids)];
  const results: z.infer<typeof BulkAnswer>["results"] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE)
    results.push(
      ...(await Promise.all(
        wanted.slice(at, at + AT_ONCE).map(async (workflow_id) => {
          try {
            return { workflow_id, ok: true, ...(await work(workflow_id)) };
          } catch (error) {
            if (!(error instanceof NavigatorError)) throw error;
            const { code, message, hint, details } = error;
            return { workflow_id, ok: false, code, message, ...defined({ hint, details }) };
          }
        }),
      )),
    );
  return { done: results.filter(({ ok }) => ok).length, results };
}

const cancelMissionsEndpoint = endpoint({
  method: "post",
  path: "/api/missions/cancel",
  needs: ["act"],
  operation: "cancelMissions",
  summary: "Cancels several missions; a result for each",
  tag: TAG,
  body: Bulk,
  answer: BulkAnswer,
  errors: ["forbidden", "invalid_input"],
  run: ({ body, call }) => {
    actorOf(call);
    return each(body.ids, async (id) => {
      await act(call, id, "cancel", body.note);
      return {};
    });
  },
});

const retryMissionsEndpoint = endpoint({
  method: "post",
  path: "/api/missions/retry",
  needs: ["act"],
  operation: "retryMissions",
  summary: "Retries several ended missions; a result for each",
  tag: TAG,
  body: Bulk,
  answer: BulkAnswer,
  errors: ["forbidden", "invalid_input"],
  run: ({ body, call }) => {
    actorOf(call);
    return each(body.ids, async (id) => ({ new_id: (await retry(call, id, { note: body.note })).workflow_id }));
  },
});

/** What people do to missions, tasks and plans. */
export const runActionEndpoints: readonly Endpoint[] = [
  actionEndpoint("cancel", "Cancels a run, a task or a plan with all below it; its effects stay", [
    "already_over",
    "task_closed",
  ]),
  actionEndpoint("terminate", "Ends a workflow and all runs below it at once, without cleanup", ["already_over"]),
  actionEndpoint("pause", "Pauses a run, a task or a plan: open calls end, and no new one begins", [
    "already_over",
    "task_closed",
    "no_worker",
  ]),
  actionEndpoint("resume", "Resumes a paused run, task or plan", [
    "not_paused",
    "already_over",
    "task_closed",
    "no_worker",
  ]),
  retryRunEndpoint,
  signalRunEndpoint,
  cancelMissionsEndpoint,
  retryMissionsEndpoint,
];
