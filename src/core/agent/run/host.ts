import type { Result } from "../../base/failure";
import type { CallHost, ToolCall } from "../../calls/host";
import type { AgentInput } from "../definition/agent-input";
import type { Step } from "../result/step";

/** The operations that a run of an agent needs from its host. */
export interface AgentHost extends CallHost {
  /** Runs another agent to its end. A failure here means that there is no Step: the host lost the run. */
  runAgent(call: ToolCall, input: AgentInput): Promise<Result<Step>>;
  /**
   * Whether a reply is read as today, and not as before strings were left alone. Asked only about a reply that the two
   * read differently. Without it: as today.
   */
  leavesStringsAlone?(): boolean;
  /**
   * Whether a text in a response template stays a text, and does not become code as in earlier versions. Asked only
   * about an answer for which that makes a difference. Without it: yes.
   */
  keepsTextsOfTemplates?(): boolean;
  /** A program of the run is over, after so many steps. */
  stepped?(steps: number): void;
  /**
   * Whether the run should stop at the next safe point, even in the middle of a turn, to be continued from its state;
   * `underWay` calls are being made. A host without it never needs that.
   */
  shouldPause?(underWay: number): boolean;
  /**
   * How long the run was blocked so far because no worker had what a call needs, in milliseconds. Its time limits do not
   * run meanwhile. Undefined = the host never waits for that.
   */
  blockedMs?(): number;
}
