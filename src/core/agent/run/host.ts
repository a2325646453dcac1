import type { Result } from "../../base/failure";
import type { CallHost, ToolCall } from "../../calls/host";
import type { AgentInput } from "../definition/agent-input";
import type { Step } from "../result/step";

/** What a run of an agent may ask of the outside. */
export interface AgentHost extends CallHost {
  /** A run of another agent, to its end. A failure here means that it has no Step at all: its host lost it. */
  runAgent(call: ToolCall, input: AgentInput): Promise<Result<Step>>;
}
