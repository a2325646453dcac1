import { z } from "zod";
import { readMissionEffects } from "../../client/mission-effects";
import { flatten, missionTrace, missionTree } from "../../client/mission-tree";
import { effectReasons } from "../../client/runs/effect-reasons";
import { readRunSheet } from "../../client/runs/run-sheet";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import { workflowIdIn } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { effectsSummary } from "../../core/effects/effects-summary";
import { traceSummary, traceTimeline } from "../../core/history/trace/analyse";
import { renderPeoplesLog } from "../../core/journal/mission-log";
import { hasPeople } from "../../core/review/people/people-file";
import { verifyExportedLedger } from "../../node/identity/ledger-signature";
import type { WebApp, WebContext } from "../context/context";
import { ownWorkflowId } from "../requests/own-run";
import { type Endpoint, type EndpointCall, endpoint } from "./endpoint";
import { ACTIONS_OF, runParams } from "./run-actions";

const TAG = "One mission, task or plan";

/** The address of a workflow in Temporal's own Web UI; undefined: it is not known. */
const temporalPage = ({ web, client }: Pick<EndpointCall, "web" | "client">, id: string, runId: string) =>
  web.temporalUi === null
    ? {}
    : {
        temporal_ui: `${web.temporalUi.replace(/\/$/, "")}/namespaces/${encodeURIComponent(
          client.temporal.options.namespace,
        )}/workflows/${encodeURIComponent(id)}/${runId}/history`,
      };

const showRunEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}",
  needs: ["read"],
  operation: "showRun",
  summary:
    "A workflow and the runs below it: input, state, failure, waits, journal, turns and timeline; needs no worker",
  tag: TAG,
  params: runParams,
  answer: z
    .looseObject({
      workflow_id: z.string(),
      run_id: z.string(),
      kind: z.enum(["agent", "task", "plan", "other"]),
      state: z.string(),
      status: z.string().optional(),
      paused: z.object({ by: z.string(), note: z.string().optional(), at: z.number() }).optional().meta({
        description:
          "Who paused it, why, and when (ms since 1970); absent for a task, and for a run that is not paused",
      }),
      started_at: z.number().meta({ description: "Ms since 1970" }),
      closed_at: z.number().optional(),
      mission: z.string().meta({ description: "The workflow of what a user started" }),
      is_mission: z.boolean(),
      parent: z.string().optional(),
      asked: z.looseObject({}).meta({ description: "What it was started with" }),
      failed: z
        .looseObject({ workflow_id: z.string(), code: z.string(), message: z.string(), hint: z.string().optional() })
        .nullable()
        .meta({ description: "Why it failed, and where that began" }),
      returned: z.unknown().optional().meta({
        description: "What it returned; of a plan, its results by step. Absent: it runs, it failed, or it is a task",
      }),
      last_failed_call: z
        .object({
          tool: z.string(),
          args: z.string().optional().meta({ description: "JSON, or its beginning" }),
          message: z.string(),
          workflow_id: z.string().meta({ description: "The run that made the call" }),
          turn: z.number(),
          invocation: z.number(),
          task_id: z.string().optional(),
        })
        .optional()
        .meta({
          description: "Of work that failed, is blocked or makes a call again: the last call that failed before",
        }),
      waits: z.array(z.looseObject({ kind: z.string(), workflow_id: z.string(), title: z.string() })),
      retrying: z.array(z.object({ what: z.string(), attempt: z.number(), message: z.string() })),
      summary: z.looseObject({}).meta({ description: "Time, turns, calls, tokens and money" }),
      actions: z.array(z.string()).meta({ description: "What can be done to it now" }),
      temporal_ui: z.string().optional(),
    })
    .meta({ id: "RunSheet" }),
  errors: ["not_found", "invalid_id"],
  tagged: true,
  run: async ({ params, call }) => {
    const sheet = await readRunSheet(call.client, params.id);
    return {
      ...sheet,
      waits: sheet.waits.map((item) => ({ ...item })),
      asked: { ...sheet.asked },
      failed: sheet.failed === null ? null : { ...sheet.failed },
      summary: { ...sheet.summary },
      actions: actionsOf(sheet),
      ...temporalPage(call, workflowIdIn(call.client.project, params.id), sheet.run_id),
    };
  },
});

function actionsOf({ kind, closed_at, state, is_mission }: Awaited<ReturnType<typeof readRunSheet>>): string[] {
  if (closed_at !== undefined) return !is_mission ? [] : state === "completed" ? ["afresh"] : ["retry", "afresh"];
  const isPaused = state === "paused";
  return ACTIONS_OF[kind].filter((action) => action !== (isPaused ? "pause" : "resume"));
}

const Records = z.array(z.looseObject({ id: z.string(), text: z.string(), by: z.string(), at: z.number() }));

const showJournalEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/journal",
  needs: ["read"],
  operation: "showJournal",
  summary: "The records of a mission and of the runs below it, with their authors",
  tag: TAG,
  params: runParams,
  answer: z.object({
    workflow_id: z.string(),
    rows: Records,
    runs: z.array(z.object({ workflow_id: z.string(), rows: Records })),
  }),
  errors: ["not_found"],
  tagged: true,
  run: async ({ params, call }) => {
    const rowsOf = flatten(await missionTree(call.client, params.id)).map(({ workflow_id, projection }) => ({
      workflow_id,
      rows: projection.rows.map((row) => ({ ...row })),
    }));
    const [own = { workflow_id: params.id, rows: [] }, ...runs] = rowsOf;
    return { ...own, runs };
  },
});

const showLogEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/log",
  needs: ["read"],
  operation: "showMissionLog",
  summary: "The Mission Log of a mission and of the runs below it, for agents and for people",
  tag: TAG,
  params: runParams,
  answer: z.object({
    logs: z.array(z.object({ workflow_id: z.string(), mission_log: z.string(), for_people: z.string() })),
  }),
  errors: ["not_found"],
  tagged: true,
  run: async ({ params, call }) => ({
    logs: flatten(await missionTree(call.client, params.id)).map(({ workflow_id, projection }) => ({
      workflow_id,
      mission_log: projection.mission_log,
      for_people: renderPeoplesLog(projection.rows),
    })),
  }),
});

const showTurnsEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/turns",
  needs: ["read"],
  operation: "showTurns",
  summary: "The turns of an agent's run: program, prints, calls with answers, tokens, cost",
  tag: TAG,
  params: runParams,
  answer: z.looseObject({ workflow_id: z.string(), turns: z.array(z.looseObject({ number: z.number() })) }),
  errors: ["not_found", "wrong_kind"],
  tagged: true,
  run: async ({ params, call }) => {
    const { story } = await missionTree(call.client, params.id);
    if (story !== null) return { ...story, turns: story.turns.map((turn) => ({ ...turn })) };
    throw new NavigatorError("wrong_kind", `"${params.id}" is no run of an agent, so it has no turns.`, {
      hint: "Its runs are below it: GET /api/runs/{id}",
    });
  },
});

const showTraceEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/trace",
  needs: ["read"],
  operation: "showTrace",
  summary: "Turns, model calls and tool calls with their times, with the runs below",
  tag: TAG,
  params: runParams,
  query: z.object({
    lines: z.stringbool().optional().meta({ description: "The trace itself, line by line, as well" }),
  }),
  answer: z.looseObject({
    summary: z.looseObject({ duration_ms: z.number() }),
    timeline: z.array(z.looseObject({ at_ms: z.number(), kind: z.string(), name: z.string() })),
  }),
  errors: ["not_found"],
  tagged: true,
  run: async ({ params, query, call }) => {
    const lines = (await missionTrace(call.client, params.id)).flatMap((log) => log.lines);
    return {
      summary: { ...traceSummary(lines) },
      timeline: traceTimeline(lines).map((row) => ({ ...row })),
      ...(query.lines ? { lines } : {}),
    };
  },
});

const showEffectsEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/effects",
  needs: ["read"],
  operation: "showEffects",
  summary: "The effects of a mission, each once, also unknown and undone ones",
  tag: TAG,
  params: runParams,
  answer: z.looseObject({
    workflow_id: z.string(),
    ledger: z.boolean().meta({ description: "false: it was started by a version that knows nothing of its effects" }),
    summary: z.string(),
    effects: z.array(z.looseObject({ key: z.string(), tool: z.string(), state: z.string() })),
    questions: z
      .array(z.object({ key: z.string(), review: z.string() }))
      .meta({ description: "Open reviews about effects" }),
  }),
  errors: ["not_found"],
  tagged: true,
  run: async ({ params, call }) => {
    const { effects, programs, end: _, under_way: __, ...rest } = await readMissionEffects(call.client, params.id);
    const safe = valueWithoutSecrets({ effects, programs } as unknown as JsonObject) as unknown as {
      effects: typeof effects;
      programs: typeof programs;
    };
    return {
      ...rest,
      summary: effectsSummary(effects),
      effects: safe.effects.map((effect) => ({ ...effect })),
      programs: safe.programs,
    };
  },
});

const whyEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/why",
  needs: ["read"],
  operation: "whyEffects",
  summary: "Why effects were made: program, turn, model, approvals, budget",
  tag: TAG,
  params: runParams,
  query: z.object({
    effect: z.string().min(1).optional().meta({ description: "A key, or the beginning of one; default: all effects" }),
  }),
  answer: z.object({ reasons: z.array(z.looseObject({ run: z.string() })) }),
  errors: ["not_found"],
  tagged: true,
  run: async ({ params, query, call }) => {
    const reasons = await effectReasons(call.client, params.id, query.effect);
    if (reasons.length === 0 && query.effect !== undefined)
      throw new NavigatorError("not_found", `There is no effect whose key begins with "${query.effect}" here.`, {
        hint: "GET /api/runs/{id}/effects has the keys.",
        details: { path: query.effect, kind: "effect" },
      });
    return { reasons: reasons.map((one) => valueWithoutSecrets(one as unknown as JsonObject) as { run: string }) };
  },
});

/** The ledger as a file, with the people of the project, if it has any. */
function exportedLedger({ client, web }: Pick<EndpointCall, "client" | "web">, id: string): Promise<string> {
  const people = web.people();
  return client.ledger(id, hasPeople(people) ? people : null);
}

const showLedgerEndpoint = endpoint({
  method: "get",
  path: "/api/runs/{id}/ledger",
  needs: ["read"],
  operation: "checkLedger",
  summary: "Verifies the ledger: whether anything was changed, and whether each decision is valid",
  tag: TAG,
  params: runParams,
  answer: z.looseObject({
    ok: z.boolean(),
    whole: z.boolean(),
    mission: z.string(),
    problems: z.array(z.looseObject({ line: z.number(), code: z.string(), message: z.string() })),
    notes: z.array(z.string()),
    counts: z.looseObject({}),
    decisions: z.array(z.looseObject({ review: z.string(), choice: z.string(), by: z.string() })),
  }),
  errors: ["not_found"],
  run: async ({ params, call }) => {
    const people = call.web.people();
    const verdict = await verifyExportedLedger(
      await exportedLedger(call, params.id),
      hasPeople(people) ? { people } : {},
    );
    return {
      ...verdict,
      problems: verdict.problems.map((one) => ({ ...one })),
      counts: { ...verdict.counts },
      decisions: verdict.decisions.map((one) => ({ ...one })),
    };
  },
});

/** What there is to read of one workflow. */
export const runEndpoints: readonly Endpoint[] = [
  showRunEndpoint,
  showLogEndpoint,
  showTurnsEndpoint,
  showTraceEndpoint,
  showJournalEndpoint,
  showEffectsEndpoint,
  whyEndpoint,
  showLedgerEndpoint,
];

/** `GET /api/runs/{id}/ledger/export`: the ledger as a file (JSON Lines), which anybody can check without a server. */
export function ledgerFileRoute(app: WebApp, web: WebContext): void {
  app.get("/api/runs/:id/ledger/export", async (c) => {
    const { client } = await web.backend();
    const id = c.req.param("id");
    ownWorkflowId(client.project, id);
    const text = await exportedLedger({ client, web }, id);
    const name = `ledger-${id.replace(/[^A-Za-z0-9-]+/g, "-")}.jsonl`;
    return c.body(text, 200, {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
    });
  });
}
