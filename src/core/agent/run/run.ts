import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import type { Step } from "../result/step";
import type { AgentObserver, BaseRun, RunArguments } from "./base-run";
import type { AgentHost } from "./host";
import { ProgramRun } from "./program-run";
import { TextRun } from "./text-run";

export type { AgentInput } from "../definition/agent-input";
export type { AgentObserver, BaseRun as AgentRun } from "./base-run";
export type { AgentState } from "./state";

/** A run of an agent, new or continued from its state, in the agent's output mode. */
export function openRun(...[host, input, ...rest]: RunArguments): BaseRun {
  const { agent, program } = input;
  const whole = program === undefined ? input : { ...input, agent: asProgram(agent) };
  return agent.output === "text" ? new TextRun(host, whole, ...rest) : new ProgramRun(host, whole, ...rest);
}

/** An agent with a given program has one turn, and nobody reads its mission. */
const asProgram = (agent: AgentDefinition): AgentDefinition => ({
  ...agent,
  max_turns: 1,
  retry_turns: 0,
  compression: null,
  template: "literal",
});

/** Runs an agent to its end, on a host that need not stop between turns. */
export const runAgent = (host: AgentHost, input: AgentInput, observer?: AgentObserver): Promise<Step> =>
  stepOf(openRun(host, input, undefined, observer));

/** Runs all remaining turns and gives the Step. */
export async function stepOf(run: BaseRun): Promise<Step> {
  for (;;) {
    const step = await run.turn();
    if (step !== null) return step;
  }
}
