import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { getClient, operationInfo, startWorkflow, WorkflowRunOperationHandler } from "@temporalio/nexus";
import * as nexus from "nexus-rpc";
import { z } from "zod";
import { NavigatorClient } from "../../client/client";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { shownDetails, shownSummary } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { newBareId } from "../../core/base/ids";
import { checkedId } from "../../core/base/input/id-rule";
import { readInput } from "../../core/base/input/invalid-input";
import { startableProject } from "../../core/base/input/project";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { presentFormat } from "../../core/base/run-format";
import { navigatorService } from "../../workflows/embedded/nexus-service";
import { agentRunInput } from "../../workflows/start/agent-input";
import { INTENT_MEMO } from "../../workflows/start/intent";
import { planInput } from "../../workflows/start/plan-input";
import { checkedTask, checkOptions, checkSize } from "../../workflows/start/sendable";
import { startOfAgent, startOfPlan, startOfTask, type WorkStart } from "../../workflows/start/work-start";

/** The answers of a worker to `navigatorService` (docs/embedding.md, "Workflows of other namespaces"). */

/** What callers over Nexus may do. */
export interface NexusOptions {
  /** The name of the project that the work belongs to. Default: none. */
  project?: string;
  /**
   * Callers may do everything that the application itself may: run plans, which bring their own agents with any tool of this
   * worker, and read and decide reviews. Default: no; they run the agents of `agents`, by name, and tasks on graphs
   * with these agents.
   */
  trusted?: boolean;
}

/** The work is checked further by what starts it, which names each mistake by its own code. */
const RunAgent = z.strictObject({
  agent: z.string("must be the name of an agent of the worker"),
  id: z.string().optional(),
  ...passedOn("context", "model", "budget", "token_limit", "on_budget_exceeded", "on_waiting", "requested_by"),
});
const RunTask = z.strictObject(passedOn("task", "definition", "model", "requested_by"));
const RunPlan = z.strictObject({
  id: z.string().optional(),
  ...passedOn("plan", "mission", "executor", "options", "requested_by"),
});
const OfReviews = z.strictObject({ workflow_id: z.string().min(1) });
const Decide = z.strictObject({ workflow_id: z.string().min(1), decision: z.looseObject({}) });

/** The handlers of the service, for `nexusServices` of a worker. They start work on the worker's own task queue. */
export function navigatorNexusHandlers(
  { project: named, trusted = false }: NexusOptions,
  given: Iterable<AgentDefinition> = [],
) {
  const project = startableProject(named ?? null);
  const agents = [...given];
  const reviewed = (workflowId: string) =>
    new NavigatorClient(getClient(), { project, taskQueue: operationInfo().taskQueue }).reviewed(workflowId);
  const onlyTrusted = (operation: string) => {
    if (trusted) return;
    throw new NavigatorError("forbidden", `This worker answers ${operation} to trusted callers only.`, {
      hint: "The operator of the worker may trust all callers of its endpoint: nexus: { trusted: true }.",
    });
  };
  return nexus.serviceHandler(navigatorService, {
    runAgent: started("agentRun", (raw, requestId) => {
      const { id = requestId, agent, ...rest } = read(RunAgent, raw);
      const input = agentRunInput({ ...rest, agent: agentOf(agents, agent), untrusted_context: true } as never);
      return startOfAgent(checkedId("a run", newBareId("agent", id, project)), project, input);
    }),
    runTask: started("navigatorTask", (raw) => {
      const setup = checkedTask({ ...read(RunTask, raw), agents: byName(agents) });
      const working = Object.values(setup.definition?.nodes ?? {}).map((node) => ("agent" in node ? node.agent : ""));
      const needed = Object.entries(setup.agents).filter(([name]) => working.includes(name));
      return startOfTask(project, { ...presentFormat(), ...setup, agents: Object.fromEntries(needed) });
    }),
    runPlan: started("planRun", (raw, requestId) => {
      onlyTrusted("runPlan");
      const { id = requestId, ...rest } = read(RunPlan, raw);
      checkOptions("the plan", rest.plan ?? null);
      checkOptions("the options", rest.options ?? null);
      const input = planInput(rest as never);
      checkSize("the input", input);
      return startOfPlan(checkedId("a plan", newBareId("plan", id, project)), project, input);
    }),
    decide: (_, raw) =>
      answered(() => {
        onlyTrusted("decide");
        const { workflow_id, decision } = read(Decide, raw);
        return reviewed(workflow_id).decide(decision as never);
      }),
    reviews: (_, raw) =>
      answered(() => {
        onlyTrusted("reviews");
        return reviewed(read(OfReviews, raw).workflow_id).reviews();
      }),
  });
}

/** An operation that is a run of a workflow. Attempts of one request start it once. */
function started<Given, Result>(type: string, prepare: (given: Given, requestId: string) => WorkStart<unknown>) {
  return new WorkflowRunOperationHandler<Given, Result>((context, given) =>
    answered(async () => {
      const { workflowId, args, named, ...start } = prepare(given, context.requestId);
      try {
        return await startWorkflow<(input: unknown) => Promise<Result>>(context, type, {
          workflowId,
          args,
          workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          typedSearchAttributes: start.typedSearchAttributes,
          staticSummary: shownSummary(start.staticSummary),
          staticDetails: shownDetails(start.staticDetails),
          memo: { [INTENT_MEMO]: start.intent },
          ...defined({ priority: start.priority }),
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        throw new NavigatorError("id_in_use", `There is a ${named.what} with the id "${named.id}" already.`);
      }
    }),
  );
}

/** @throws NavigatorError `agent_not_found` */
function agentOf(agents: readonly AgentDefinition[], name: string): AgentDefinition {
  const known = agents.find((agent) => agent.name === name);
  if (known !== undefined) return known;
  const names = Object.keys(byName(agents)).join(", ") || "none";
  throw new NavigatorError("agent_not_found", `There is no agent "${name}". Agents of this worker: ${names}.`);
}

const byName = (agents: readonly AgentDefinition[]): { [name: string]: AgentDefinition } =>
  Object.fromEntries(agents.flatMap((agent) => (agent.name == null ? [] : [[agent.name, agent]])));

/** @throws NavigatorError `invalid_input` */
const read = <T>(schema: z.ZodType<T>, raw: unknown): T =>
  valueOrThrow(readInput(schema, raw, "invalid_input", "input of the operation"));

/** The caller gets a refusal at once, with its code as the type of the last cause. The operation is not tried again. */
async function answered<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NavigatorError) || error.exitCode === 3) throw error;
    const { code, message, hint, details } = error;
    const text = hint === undefined ? message : `${message} ${hint}`;
    const cause = ApplicationFailure.nonRetryable(text, code, details ?? {});
    throw new nexus.HandlerError(KINDS[code] ?? "BAD_REQUEST", `${code}: ${text}`, { cause });
  }
}

/** Not `CONFLICT` for `id_in_use`: servers up to 1.29 do not know that type, and try the operation again for ever. */
const KINDS: { [code: string]: nexus.HandlerErrorType } = {
  agent_not_found: "NOT_FOUND",
  not_found: "NOT_FOUND",
  forbidden: "UNAUTHORIZED",
};

function passedOn<Field extends string>(...fields: Field[]) {
  return Object.fromEntries(fields.map((field) => [field, z.unknown().optional()])) as {
    [field in Field]: z.ZodOptional<z.ZodUnknown>;
  };
}
