import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { CallHost, ToolCall } from "../../calls/host";
import type { PackedLedger } from "../../effects/packed-ledger";
import type { UndoStep } from "../../effects/undo/undo-plan";
import type { AgentInput } from "../definition/agent-input";
import type { Step } from "../result/step";

/** How the run of another agent ended. */
export interface AgentEnd {
  /** A failure means that there is no Step: the host lost the run. */
  step: Result<Step>;
  /** Its effects, and those of the agents below it; absent: the host does not know them. */
  effects?: PackedLedger;
}

/** The call with which a sequence would begin. */
export interface SequenceStart {
  tool: string;
  turn: number;
  /** The program names tools in several places, so more calls are likely to follow. */
  several: boolean;
}

/** The operations that a run of an agent needs from its host. */
export interface AgentHost extends CallHost {
  /** Names the mission of a run that no other run has started: its keys begin with it. */
  readonly mission: string;
  /** When the run began, ms since 1970: the same on every replay. Without it: now. */
  readonly startedAt?: number;
  /** Runs another agent to its end. */
  runAgent(call: ToolCall, input: AgentInput): Promise<AgentEnd>;
  /**
   * Undoes one effect, tries again as for a write, and notifies the guard of an effect that missions share. A failure
   * has the code `unknown_outcome` when nobody knows. A host without it cannot undo.
   */
  undoEffect?(step: UndoStep, because: string): Promise<Result<Json>>;
  /** A program of the run is over, after so many steps. */
  stepped?(steps: number): void;
  /**
   * Whether the run should stop at the next safe point, even in the middle of a turn, to be continued from its state;
   * `underWay` calls are being made. A host without it never needs that.
   */
  shouldPause?(underWay: number): boolean;
  /**
   * Has a call, and the calls of the program that follow it, made by one activity (engine reference, section 16). When it resolves,
   * `callTool` answers them at once. undefined: it does not pay. A host without it makes each call as it is asked for.
   *
   * @param state of the run before the call: an `AgentState`
   */
  beginSequence?(start: SequenceStart, state: () => object): Promise<void> | undefined;
  /** Called before the model is asked. With the state of the run the calls of the program in the reply can be made where it is asked. */
  asksModel?(state: () => object): void;
  /**
   * How long the run was blocked so far because no worker had what a call needs, or paused by a person, in
   * milliseconds. Its time limits do not run during that time. Undefined = the host never waits for that.
   */
  blockedMs?(): number;
}
