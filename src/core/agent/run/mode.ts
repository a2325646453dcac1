import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { Message, ModelReply, ModelRequest } from "../../calls/host";
import type { Journal } from "../../journal/journal";
import type { TurnsLeft } from "../prompt/feedback";
import type { Usage } from "../result/step";
import { failAsJson, failureTurn, type Turn, type TurnDraft, type TurnType } from "../result/turn";
import type { ToolSearch } from "../tools/tool-search";
import type { Caller } from "./call-tool";
import type { RunCalls } from "./run-calls";
import type { RunMemory } from "./run-memory";
import type { AgentState, OpenTurnState } from "./state";

/**
 * How the model of a run answers, and what its replies do: the part of a run that differs between output modes (agent
 * reference, sections 9 and 15). The loop in `AgentRun` asks the model, records and counts the turns, and ends the run.
 */
export interface Mode {
  /** The system prompt of the next request; "" before the first turn. */
  readonly system: string;
  /** Why no further turn follows; null when one does. */
  refusal(): Failure | null;
  /**
   * The mission as the model reads it, and the first messages of the conversation.
   * @throws TemplateError
   */
  opening(): { prompt: string; messages: Message[] };
  /** The request of the coming turn. */
  ask(type: TurnType): TurnRequest;
  /**
   * Work that makes calls and may pause, or the end of the turn.
   *
   * @param draft the record of the turn; the mode completes it
   */
  reply(reply: ModelReply, draft: TurnDraft): OpenTurn | TurnEnd;
  /** The work of a turn that was written by `OpenTurn.state`. */
  restored(written: OpenTurnState): OpenTurn;
  /** The fields of the state that this mode replaces; absent = none. */
  state?(isOpen: boolean): Partial<AgentState>;
  /** The value that replaces a missing return; undefined or absent = the run ends with the failure. */
  fallback?(fail: Failure): Json | undefined;
  /** Additional fields for the usage in the Step. */
  usage?(startedTurns: number): Partial<Usage>;
}

export type ModeOf = (run: ModeRun) => Mode;

/** A run as its mode sees it. */
export interface ModeRun extends Caller {
  /** The inputs of the mission. */
  readonly data: JsonObject;
  readonly memory: RunMemory;
  /** Live: people may record decisions in it at any time. */
  readonly journal: Journal | null;
  readonly search: ToolSearch;
  readonly calls: RunCalls;
  /** A text without the values that the model must not see. */
  forModel(text: string): string;
  /** The run as JSON. @param work of the open turn; absent = between two turns */
  asState(work?: object): AgentState;
}

/** A request without the fields that the run adds. */
export type TurnRequest = Pick<
  ModelRequest,
  "system" | "messages" | "output" | "tool_names" | "tools" | "schema" | "listener"
>;

/** The work that a reply has begun, such as a program. It can pause, and continue in another process. */
export interface OpenTurn<Done = unknown> {
  /** No call is under way, so that `state` is the whole work. */
  readonly isPaused: boolean;
  /** Runs to the end of the work, or to a pause: null. After a pause it can be called again. */
  advance(): Promise<Done | null>;
  end(done: Done): TurnEnd;
  /** Asks the host again whether a pause is needed. */
  recheck(): void;
  /** The work as JSON: the fields that `OpenTurnState` gets besides its own. */
  state(): object;
}

/** The end of a turn: another turn follows with these messages, or the run ends. */
export type TurnEnd = { turn: Turn } & ({ next(left: TurnsLeft): Message[] } | { value: Json; fail: Failure | null });

/** The run ends in this turn, with a failure. */
export function failedEnd({ opening, params }: TurnDraft, fail: Failure, result: Json = failAsJson(fail)): TurnEnd {
  return { turn: failureTurn(opening, result, params), value: null, fail };
}
