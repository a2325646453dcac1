import { z } from "zod";
import { MISSION_STATES } from "../../client/listing/mission-state";
import { listMissions } from "../../client/missions";
import { planProgress } from "../../client/runs/plan-progress";
import { defined } from "../../core/base/defined";
import { planWorkflowId } from "../../core/base/ids";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import type { PlanOptionsInput } from "../../core/plan/definition/options";
import { type ParsedPlan, parsePlan } from "../../core/plan/definition/parse";
import { checkedModel } from "../../project/known-parts";
import { checkPlanIn, planOptionsIn } from "../../project/plan-defaults";
import { requesterOf } from "../requests/callers";
import { sharedRead } from "../requests/shared-read";
import { type EndpointCall, endpoint } from "./endpoint";
import { MissionRow } from "./missions";
import { shareBody, shareOf } from "./share-body";

const TAG = "Plans";

const PlanStepData = z
  .object({
    id: z.string(),
    type: z.enum(["task", "direct", "synthesis_gate", "human_review"]),
    agent: z.string(),
    depends_on: z.array(z.string()),
    critical: z.boolean(),
    on_failure: z.string(),
    max_retries: z.int(),
    state: z.enum(["pending", "running", "waiting", "ok", "failed", "skipped"]),
    attempts: z.int(),
    run: z.string().nullable().meta({ description: "The workflow of its last attempt" }),
    review: z.string().nullable().meta({ description: "The open review about it" }),
    started_at: z.number().nullable(),
    duration_ms: z.number().nullable(),
    why: z.string().nullable().meta({ description: "Why it failed" }),
  })
  .meta({ id: "PlanStep" });

const planBody = {
  plan: z.unknown().optional().meta({ description: "{agents, tasks}; without it the planner makes one" }),
  mission: z.string().min(1).optional().meta({ description: "What the plan must achieve" }),
  executor: z.boolean().optional().meta({ description: "Repairs the plan when it fails" }),
  options: z.record(z.string(), z.unknown()).default({}).meta({ description: "Options of plans (docs/plans.md)" }),
  model: z.string().min(1).max(200).optional(),
};

export const listPlansEndpoint = endpoint({
  method: "get",
  path: "/api/plans",
  needs: ["read"],
  operation: "listPlans",
  summary: "Lists plans, open ones first, then the newest; needs no worker",
  tag: TAG,
  query: z.object({
    state: z.enum(MISSION_STATES).optional(),
    text: z.string().min(1).max(200).optional(),
    size: z.coerce.number().int().min(1).max(200).optional(),
    page: z.string().optional().meta({ description: "`next` of the page before" }),
  }),
  answer: z.object({ plans: z.array(MissionRow), next: z.string().optional() }),
  errors: ["invalid_input"],
  tagged: true,
  run: async ({ query, call }) => {
    const { missions, next } = await listMissions(call.client, { ...defined(query), kind: "plan" });
    return { plans: missions, ...defined({ next }) };
  },
});

export const startPlanEndpoint = endpoint({
  method: "post",
  path: "/api/plans",
  needs: ["start"],
  operation: "startPlan",
  summary: "Starts a plan, or a planner for a mission. The same id and input again finds the existing one",
  tag: TAG,
  body: z
    .strictObject({
      ...planBody,
      id: z.string().min(1).optional().meta({ description: "Default: a new one", example: "lamps" }),
      ...shareBody,
      join: z.boolean().optional().meta({ description: "Finds the plan of this id whatever it was started with" }),
    })
    .meta({ id: "StartPlan" }),
  answer: z
    .object({ id: z.string(), workflow_id: z.string(), started_before: z.boolean() })
    .meta({ id: "StartedPlan" }),
  status: 202,
  errors: ["invalid_plan", "invalid_plan_format", "invalid_input", "id_in_use"],
  run: async ({ body, call }) => {
    const { client } = call;
    const { parsed, options } = await readPlan(body, call);
    const { id, join, mission, executor } = body;
    if (parsed !== undefined && options.check_plans !== false) {
      const { findings } = checkPlanIn(call.web.project, parsed, options, executor ?? false);
      refuseErrors(findings);
    }
    const started_before = id !== undefined && (await client.has(planWorkflowId(id, client.project)));
    const handle = await client.startPlan({
      options,
      ...shareOf(body),
      ...defined({ id, join, mission, executor, plan: parsed?.plan, requested_by: requesterOf(call) }),
    });
    return { id: handle.id, workflow_id: handle.workflow.workflowId, started_before };
  },
});

export const checkPlanEndpoint = endpoint({
  method: "post",
  path: "/api/plans/check",
  needs: ["read"],
  operation: "checkPlan",
  summary: "Checks a plan before it runs: mistakes, phases, and the highest cost",
  tag: TAG,
  body: z.strictObject({ ...planBody, plan: z.unknown() }),
  answer: z
    .object({
      ok: z.boolean(),
      findings: z.array(
        z.looseObject({
          severity: z.enum(["error", "warning", "info"]),
          category: z.string(),
          message: z.string(),
          task_id: z.string().nullable(),
        }),
      ),
      cost: z.looseObject({}).nullable(),
      score: z.number(),
    })
    .meta({ id: "PlanCheck" }),
  errors: ["invalid_plan_format", "invalid_input"],
  run: async ({ body, call }) => {
    const { parsed, options } = await readPlan(body, call);
    if (parsed === undefined) throw new NavigatorError("invalid_plan_format", "There is no plan to check.");
    const { findings, cost, ...check } = checkPlanIn(call.web.project, parsed, options, body.executor ?? false);
    return { ...check, findings: findings.map((one) => ({ ...one })), cost: cost === null ? null : { ...cost } };
  },
});

const sharedProgress = sharedRead(({ client }: Pick<EndpointCall, "client">, id) => planProgress(client, id));

export const showPlanEndpoint = endpoint({
  method: "get",
  path: "/api/plans/{id}",
  needs: ["read"],
  operation: "showPlan",
  summary: "A plan by phases, with the dependencies and states of its steps",
  tag: TAG,
  params: z.object({ id: z.string().meta({ example: "lamps", description: "Bare, or its workflow id" }) }),
  answer: z
    .object({
      plan_id: z.string(),
      workflow_id: z.string(),
      mission: z.string().nullable(),
      state: z.enum(["planning", "running", "waiting", "paused", "completed", "failed", "cancelled"]),
      ended: z.string().nullable(),
      executions: z.int(),
      replans: z.int(),
      phases: z.array(z.array(PlanStepData)),
      open_reviews: z.int(),
    })
    .meta({ id: "PlanProgress" }),
  errors: ["not_found", "no_worker"],
  tagged: true,
  run: ({ params, call }) => sharedProgress(call, params.id),
});

interface PlanBody {
  plan?: unknown;
  options: { [name: string]: unknown };
  executor?: boolean | undefined;
  model?: string | undefined;
}

/** @throws NavigatorError `invalid_plan_format`, `invalid_input` */
async function readPlan(
  { plan, options: given, executor, model }: PlanBody,
  { web }: Pick<EndpointCall, "web">,
): Promise<{ parsed: ParsedPlan | undefined; options: PlanOptionsInput }> {
  const { project } = web;
  const parsed = plan === undefined || plan === null ? undefined : valueOrThrow(parsePlan(plan));
  const chosen = model === undefined ? undefined : checkedModel(project.models, model);
  const wanted = { ...given, ...(chosen === undefined ? {} : { llm: chosen }) } as PlanOptionsInput;
  const options = await planOptionsIn(project, { plan: parsed?.plan, executor, options: wanted }, web.model);
  return { parsed, options };
}

function refuseErrors(findings: readonly { severity: string; message: string }[]): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw new NavigatorError("invalid_plan", errors.map(({ message }) => message).join(" "), {
    hint: "All findings: POST /api/plans/check. To start it as it is, give the option check_plans: false.",
    details: { issues: errors.map((one) => ({ ...one })) },
  });
}

/** All operations on plans. */
export const planEndpoints = [listPlansEndpoint, startPlanEndpoint, checkPlanEndpoint, showPlanEndpoint];
