import type { Json, JsonObject } from "../../base/json";
import type { Message } from "../../calls/host";
import type { LedgerState } from "../../effects/run-ledger";
import type { JournalRecord } from "../../journal/record";
import type { MachineState, ProgramEnd, ToolRecord, ToolRequest } from "../../lisp/program";
import { NO_TOKENS, type TokenCounts } from "../budget/token-counts";
import type { AgentInput } from "../definition/agent-input";
import type { OpenNativeCalls } from "../native/native-calls";
import type { ToldRecord } from "../prompt/mission-log-news";
import type { Step } from "../result/step";
import type { OpenTurn, Turn } from "../result/turn";
import type { AgentHost } from "./host";
import { EMPTY_MEMORY, type RunMemoryState } from "./run-memory";

/** Everything a run needs to go on between two turns, as JSON: it survives continue-as-new. */
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
  /** The records of the Mission Log that the model was told of. */
  told_log?: ToldRecord[];
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
  /** Runs of agents that were called as tools, without what was said in them. */
  child_steps: Step[];
  /** The ledger of effects; absent before the first pause. */
  effects?: LedgerState;
  /** Native tool calls that were run so far (text mode). */
  native_calls: number;
  /** Text mode: the records that the run's calls have made or were given; absent = none. */
  met_tasks?: string[];
  /** Tools that searches have found, in the order of their first find; absent = none. */
  found_tools?: string[];
  /** A turn in its middle: the run stopped while its program ran. `memory` and `history` are with the program, then. */
  open?: OpenTurnState;
}

/** A turn in its middle, as JSON. */
export interface OpenTurnState {
  turn: OpenTurn;
  notices: string[];
  /** The agents that it ran, by the number of the call. */
  children: [number, Step][];
  /** Who approved calls of tasks that are not recorded yet. */
  approvals: [task: string, { by: string; note?: string }][];
  /** What tasks that are not recorded yet have done before. */
  unrecorded: [task: string, done: string][];
  /** Tools that the program has found. */
  found?: string[];
  /** Of a reply with a program. */
  program?: OpenProgram;
  /** Of a reply with tool calls (text mode), and the tasks of those that were made. */
  native?: OpenNativeCalls & { tasks: [place: number, task: string][] };
}

/** A call that waits for a person: it is made again, under its number, and finds its review. */
export interface WaitingCall {
  request: ToolRequest;
  call: number;
  since: number;
}

/** A program in the middle of its work, as JSON. */
export interface OpenProgram {
  machine: MachineState;
  /** The number of calls that were made. */
  calls: number;
  /** Requests of the program that were not made yet. */
  held: ToolRequest[];
  waiting: WaitingCall[];
}

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
