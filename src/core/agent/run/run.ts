import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import type { Step } from "../result/step";
import { type AgentObserver, AgentRun, type RunArguments } from "./agent-run";
import type { AgentHost } from "./host";
import type { ModeOf } from "./mode";
import { programMode } from "./program-mode";
import { textMode } from "./text-mode";

export type { AgentInput } from "../definition/agent-input";
export type { AgentObserver, AgentRun } from "./agent-run";
export type { AgentState } from "./state";

/** A run of an agent, new or continued from its state, in the agent's output mode. */
export function openRun(...[host, input, ...rest]: RunArguments): AgentRun {
  const { agent, program } = input;
  const whole = program === undefined ? input : { ...input, agent: asProgram(agent) };
  return new AgentRun(MODES[agent.output], host, whole, ...rest);
}

/** The modes of an agent by its output. The compiler asks for the mode of a new one. */
const MODES: Record<AgentDefinition["output"], ModeOf> = { ptc_lisp: programMode, text: textMode };

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
export async function stepOf(run: AgentRun): Promise<Step> {
  for (;;) {
    const step = await run.turn();
    if (step !== null) return step;
  }
}
