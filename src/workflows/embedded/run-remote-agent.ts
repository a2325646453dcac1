import { NexusOperationFailure } from "@temporalio/common";
import { createNexusServiceClient } from "@temporalio/workflow";
import { HandlerError } from "nexus-rpc";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { type ContextOf, type ReturnOf, type StepOf, stepBySchema } from "../../core/agent/definition/typed-agent";
import { withTrace } from "../../core/agent/result/step";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { withoutChanges } from "../../core/journal/changes";
import { childResult } from "../agent-child";
import { asFailure } from "./child-work";
import { type NexusRunAgent, navigatorService } from "./nexus-service";

/**
 * The input of an agent, and the start options of its run, over Nexus. The context is data there: give the return of a
 * Step, not the Step.
 */
export type RunRemoteAgent<A extends AgentDefinition = AgentDefinition> = Omit<NexusRunAgent, "agent" | "context"> &
  (Record<never, never> extends ContextOf<A> ? { context?: ContextOf<A> } : { context: ContextOf<A> });

/**
 * Runs an agent of a worker in another namespace, and gives its Step, as `runAgent` does: a mission that failed is given, too.
 * Only the agent's name is sent; the worker has the agent itself. With schemas, context and return have their types: the
 * worker reads the context with `input`, and the caller the return with `output`. Cancelling the calling workflow, or its
 * scope, cancels the mission.
 *
 * @param endpoint the Nexus endpoint of the worker's namespace and task queue
 * @throws ApplicationFailure, not to be tried again, with a code as its `type`: `validation_error` for a context or a return
 *   that does not fit; `agent_not_found`, `invalid_input`, `invalid_id`, `id_in_use`; `agent_lost` for a
 *   mission without a Step
 */
export function runRemoteAgent<A extends AgentDefinition>(
  endpoint: string,
  agent: A,
  ...[options]: Record<never, never> extends RunRemoteAgent<A>
    ? [options?: RunRemoteAgent<A>]
    : [options: RunRemoteAgent<A>]
): Promise<StepOf<ReturnOf<A>>> {
  return asFailure(async () => {
    const { name } = agent;
    if (name == null) throw new NavigatorError("invalid_agent", "An agent that is run over Nexus needs a name.");
    const service = createNexusServiceClient({ service: navigatorService, endpoint });
    const input = { ...options, agent: name } as NexusRunAgent;
    const run = () => service.executeOperation("runAgent", input).catch((error) => Promise.reject(causeOf(error)));
    const step = valueOrThrow(await childResult(`${endpoint}: ${name}`, run));
    return valueOrThrow(await stepBySchema(agent, withTrace(withoutChanges(step))));
  });
}

/** Returns the failure that ended the operation. */
function causeOf(error: unknown): unknown {
  const isShell = error instanceof NexusOperationFailure || error instanceof HandlerError;
  return isShell && error.cause !== undefined ? causeOf(error.cause) : error;
}
