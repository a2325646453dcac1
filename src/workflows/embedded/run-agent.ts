import { uuid4 } from "@temporalio/workflow";
import { type AnyAgent, type ReturnOf, type StepOf, stepBySchema } from "../../core/agent/definition/typed-agent";
import { type Step, withTrace } from "../../core/agent/result/step";
import { newBareId } from "../../core/base/ids";
import { checkedId } from "../../core/base/input/id-rule";
import { valueOrThrow } from "../../core/base/navigator-error";
import { withoutChanges } from "../../core/journal/changes";
import { childResult } from "../agent-child";
import { type AgentAndContext, type AgentRunOptions, agentRunInput, type RunInput } from "../start/agent-input";
import { startOfAgent } from "../start/work-start";
import {
  asFailure,
  type ChildWorkOptions,
  projectOfChild,
  shareOfChild,
  startChildWork,
  withoutChildOptions,
} from "./child-work";

/**
 * The input of an agent, and the start options of its run. Other fields are limits and options of the run (`budget`,
 * ...).
 */
export type RunAgent<A extends AnyAgent = AnyAgent> = Omit<AgentAndContext<A>, "agent"> &
  RunInput &
  ChildWorkOptions & {
    /** Run id, without `/`; the workflow id is `agent/<id>`. Default: a new one. */
    id?: string;
  };

/**
 * Runs an agent as a child workflow of the workflow that calls, and gives its Step. A mission that failed gives its Step,
 * too: see `fail`. With an agent from `defineAgent` that has schemas, context and return have their types and are checked.
 * Cancelling the calling workflow, or its scope, cancels the mission.
 *
 *     const step = await runAgent(clerk, { context: { order_id: 42 }, budget: { cost: 1 } });
 *     if (step.fail === null) await ship(step.return.address);
 *
 * @throws ApplicationFailure, not to be tried again, with a code as its `type`: `validation_error` for a context or a return
 *   that does not fit; `invalid_agent`, `invalid_input`, `invalid_id`, `id_in_use`, `payload_too_large`;
 *   `agent_lost` for a mission without a Step, because somebody terminated it
 */
export function runChildAgent<A extends AnyAgent>(
  agent: A,
  ...[options]: Record<never, never> extends RunAgent<A> ? [options?: RunAgent<A>] : [options: RunAgent<A>]
): Promise<StepOf<ReturnOf<A>>> {
  return asFailure(async () => {
    const { id: given = uuid4(), ...wanted } = (options ?? {}) as RunAgent;
    const { child, rest } = withoutChildOptions(wanted);
    const project = projectOfChild(child);
    const id = checkedId("a run", newBareId("agent", given, project));
    const start = startOfAgent(id, project, agentRunInput({ ...rest, agent } as AgentRunOptions), shareOfChild(child));
    const run = await startChildWork<Step, unknown>("agentRun", start, child);
    const step = valueOrThrow(await childResult(start.workflowId, () => run.result()));
    return valueOrThrow(await stepBySchema(agent, withTrace(withoutChanges(step))));
  });
}
