import type { AgentDefinition } from "../core/agent/definition/definition";
import type { AnyAgent, ReturnOf, StepOf } from "../core/agent/definition/typed-agent";
import type { Step } from "../core/agent/result/step";
import { type Chained, then } from "../core/agent/run/chain";
import type { Failure } from "../core/base/failure";
import { argumentsFor, NavigatorError } from "../core/base/navigator-error";
import type { NavigatorClient, StartAgent } from "./client";

/** A run that failed, thrown by `runOrThrow` and `thenOrThrow`. `code` is the reason, `step` all that the run did. */
export class FailedStepError extends NavigatorError {
  constructor(
    fail: Failure,
    /** The Step of the failed run. */
    readonly step: Step,
  ) {
    super(...argumentsFor(fail, { exitCode: 1 }));
  }
}

/**
 * Starts a mission, or finds the one of this id, and waits for its return.
 *
 * @throws FailedStepError when it failed; NavigatorError as `startAgent`
 */
export async function runOrThrow<A extends AnyAgent>(
  client: NavigatorClient,
  options: StartAgent<A>,
): Promise<Extract<StepOf<ReturnOf<A>>, { fail: null }> | Step> {
  const step = await (await client.startAgent(options)).result();
  if (step.fail !== null) throw new FailedStepError(step.fail, step as Step);
  return step;
}

/**
 * Like `chain`, but throws if the Step cannot be passed on. Spread the result into the options of the next run.
 *
 * @throws FailedStepError when the Step failed, or lacks what the agent asks for (`chain_error`)
 */
export function thenOrThrow(step: Step, agent: AgentDefinition): Chained {
  const chained = then(step, agent);
  if (!chained.ok) throw new FailedStepError(chained.fail, step);
  return chained.value;
}
