import type { ModelReply } from "../../calls/host";
import type { StretchInput, StretchResult } from "../../calls/stretch";
import type { AgentInput } from "../definition/agent-input";
import type { AgentState } from "../run/run";
import { openRun } from "../run/run";
import { type StretchCalls, StretchHost } from "./stretch-host";
import { stretchTools } from "./stretch-input";

/**
 * Runs the program of a run from its state, and makes its calls one after the other, until it asks for something else or
 * `calls` ends it. The run itself goes on in its workflow: nothing but the answers is kept.
 *
 * @param reply of the model, if the state is that of a run that asks it
 */
export async function runStretch(given: StretchInput, calls: StretchCalls, reply?: ModelReply): Promise<StretchResult> {
  const input = given.run as unknown as AgentInput;
  const host = new StretchHost(given, stretchTools(input.agent), calls);
  const run = openRun(host, input, given.state as unknown as AgentState);
  await Promise.race([reply === undefined ? run.turn() : run.replied(reply), host.over()]);
  return host.result;
}
