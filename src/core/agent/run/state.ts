import type { Json, JsonObject } from "../../base/json";
import type { Message } from "../../calls/host";
import type { LedgerState } from "../../effects/run-ledger";
import type { JournalRecord } from "../../journal/record";
import type { ProgramEnd, ToolRecord } from "../../lisp/program";
import { NO_TOKENS, type TokenCounts } from "../budget/token-counts";
import type { AgentInput } from "../definition/agent-input";
import type { ListedRecord } from "../prompt/mission-log-news";
import type { Step } from "../result/step";
import type { Turn, TurnDraft } from "../result/turn";
import { keptFinds } from "../tools/tool-search";
import type { AgentHost } from "./host";
import { EMPTY_MEMORY, type RunMemoryState } from "./run-memory";

/** Everything a run needs to continue between two turns, as JSON: it survives continue-as-new. */
export interface AgentState extends RunMemoryState {
  started_at: number;
  trace_id: string;
  /** Number of the coming turn. */
  turn: number;
  work_left: number;
  retry_left: number;
  remaining_turns: number;
  deadline_ms: number | null;
  /** The mission as the model reads it; null before the first turn. */
  prompt: string | null;
  /** The Mission Log in the system prompt: that of the first turn. Null before the first turn. */
  mission_log: string | null;
  /** The records of the Mission Log that the model has seen. */
  told_log?: ListedRecord[];
  messages: Message[];
  journal: JournalRecord[] | null;
  /** `data/fail`: why the previous program ended in an error. */
  last_fail: JsonObject | null;
  /** The last return that did not fit, as text. */
  last_validation: string | null;
  tokens: TokenCounts;
  turns: Turn[];
  warnings: Step["warnings"];
  last_program: { prints: string[]; tool_calls: ToolRecord[]; pmap_calls: ProgramEnd["pmap_calls"] };
  /** Runs of agents that were called as tools, without their messages. */
  child_steps: Step[];
  /** The ledger of effects; absent before the first pause. */
  effects?: LedgerState;
  /** Native tool calls that were run so far (text mode). */
  native_calls: number;
  /** Text mode: the records that the run's calls have made or were given; absent = none. */
  met_tasks?: string[];
  /** Tools that searches have found, in the order of their first find; absent = none. */
  found_tools?: string[];
  /** A turn in its middle. With a program `memory` and `history` are empty: the state of the program has them. */
  open?: OpenTurnState;
}

/** The fields that every turn has in its middle, as JSON. The work of its mode adds others (`OpenTurn.state`). */
export interface OpenTurnState {
  turn: TurnDraft;
  /** Notes to the model about this turn. */
  notices: string[];
  /** The agents that it ran, by the number of the call. */
  children: [number, Step][];
  /** The people who approved calls of tasks that are not recorded yet. */
  approvals: [task: string, { by: string; note?: string }][];
  /** Earlier effects of tasks that are not recorded yet. */
  unrecorded: [task: string, done: string][];
}

/** Returns the state of a run before its first turn. */
export function newState(host: AgentHost, { agent, ...input }: AgentInput): AgentState {
  const now = host.now();
  return {
    ...EMPTY_MEMORY,
    tool_cache: Object.entries(input.tool_cache ?? {}) as [string, Json][],
    started_at: now,
    trace_id: input.trace_id ?? host.uuid().replaceAll("-", ""),
    turn: 1,
    work_left: agent.max_turns,
    retry_left: agent.retry_turns,
    remaining_turns: input.remaining_turns ?? agent.turn_budget,
    deadline_ms: input.deadline_ms ?? (agent.mission_timeout === null ? null : now + agent.mission_timeout),
    prompt: null,
    mission_log: null,
    messages: [],
    journal: null,
    last_fail: null,
    last_validation: null,
    tokens: NO_TOKENS,
    turns: [],
    warnings: [],
    last_program: { prints: [], tool_calls: [], pmap_calls: [] },
    child_steps: [],
    native_calls: 0,
  };
}

/** Warnings of one code that a Step lists. */
const MAX_ALIKE = 50;

/** Adds a warning, unless there is one with this code. */
export function warnOnce(state: Pick<AgentState, "warnings">, code: string, message: string): void {
  if (!state.warnings.some((warning) => warning.code === code)) state.warnings = [...state.warnings, { code, message }];
}

/** Adds a warning that may come more than once, about different things. */
export function warnEach(state: Pick<AgentState, "warnings">, code: string, message: string): void {
  const alike = state.warnings.filter((warning) => warning.code === code);
  if (alike.length >= MAX_ALIKE || alike.some((warning) => warning.message === message)) return;
  state.warnings = [...state.warnings, { code, message }];
}

/** Tools that a search has found are shown to the model from now on. */
export function keepFound(state: Pick<AgentState, "found_tools">, names: readonly string[]): void {
  if (names.length > 0) state.found_tools = keptFinds(state.found_tools ?? [], names);
}
