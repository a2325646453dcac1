import { type Failure, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { TaskCalls } from "../../effects/packed-ledger";
import { givenJournal } from "../../journal/given-journal";
import { Journal } from "../../journal/journal";
import { type PackedRecord, unpacked } from "../../journal/record";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import { nativeNameClash } from "../definition/native-name";
import { failAsJson, type TurnType } from "../result/turn";
import { asksModels, runTools, toolSpecs } from "../tools/run-tools";
import { modelsOf } from "./ask-models";
import { brokenChain } from "./chain";
import { readData } from "./given-data";
import type { AgentState } from "./state";

/** Why a run ends before its first turn; null if it may start (agent reference, section 9, START). */
export function refusedStart(input: AgentInput, state: AgentState, data: JsonObject): Failure | null {
  const { agent } = input;
  const depth = input.depth ?? 0;
  const upstream = input.upstream?.fail;
  if (upstream)
    return {
      reason: "chained_failure",
      message: `Upstream agent failed: ${upstream.reason}`,
      details: { upstream: failAsJson(upstream) },
    };
  const broken = input.strict_chain && input.upstream ? brokenChain(agent, data) : null;
  if (broken) return broken;
  if (depth >= agent.max_depth)
    return {
      reason: "max_depth_exceeded",
      message: `Agents are nested ${depth} deep; the limit of this one is ${agent.max_depth}.`,
    };
  if (state.turn === 1 && state.remaining_turns <= 0)
    return { reason: "turn_budget_exhausted", message: "The turn budget is used up before the first turn." };
  if (input.program !== undefined && agent.output === "text")
    return { reason: "invalid_agent", message: "A text agent runs no program." };
  const models = needsModel(input) ? modelsOf(input) : ok([]);
  if (!models.ok) return models.fail;
  const clash = toolSpecs(agent).find(({ name }) => Object.hasOwn(data, name));
  if (clash) return { reason: "invalid_agent", message: `${clash.name} is both a tool and data - rename one.` };
  const alike = nativeNameClash(agent);
  if (alike !== null) return { reason: "invalid_agent", message: `Tools ${alike}.` };
  return null;
}

/**
 * Returns why a run that starts now would refuse its context before its first turn; null if it takes it. For a broken
 * chain the run itself returns the failure.
 */
export function refusedContext(input: AgentInput): Failure | null {
  const { data } = givenJournal(input);
  if (input.upstream?.fail || (input.upstream && input.strict_chain && brokenChain(input.agent, data))) return null;
  return readData(input.agent, data).fail;
}

/** A program that was compiled asks a model only through its tools. */
function needsModel({ agent, program }: AgentInput): boolean {
  return program === undefined || runTools(agent).some(asksModels);
}

/** CHECK: why no further turn follows; null when one does. The order is that of the agent reference, section 9. */
export function refusedTurn(agent: AgentDefinition, state: AgentState, now: number): Failure | null {
  if (state.work_left <= 0 && state.retry_left <= 0) return exhausted(agent, state);
  if (state.remaining_turns <= 0)
    return { reason: "turn_budget_exhausted", message: `The turn budget is used up after ${state.turn - 1} turn(s).` };
  return refusedByTime(agent, state, now);
}

/** Returns the failure of a run whose time limit has passed; null while it has time. */
export function refusedByTime(agent: AgentDefinition, { deadline_ms }: AgentState, now: number): Failure | null {
  return deadline_ms === null || now < deadline_ms ? null : missionTimeout(agent);
}

/** Returns the failure of a mission whose time limit has passed. */
export function missionTimeout({ mission_timeout }: AgentDefinition): Failure {
  const limit = mission_timeout === null ? "" : ` of ${mission_timeout} ms`;
  return { reason: "mission_timeout", message: `The mission's time limit${limit} has passed.` };
}

function exhausted({ max_turns, retry_turns }: AgentDefinition, { last_validation }: AgentState): Failure {
  const details: JsonObject = last_validation === null ? {} : { last_error: last_validation };
  return retry_turns === 0
    ? { reason: "max_turns_exceeded", message: `No (return ...) within ${max_turns} turn(s).`, details }
    : {
        reason: "budget_exhausted",
        message: `No valid (return ...) within ${max_turns} work turn(s) and ${retry_turns} retry turn(s).`,
        details,
      };
}

/** The type of the next turn (agent reference, section 9.1). */
export function turnType({ work_left }: Pick<AgentState, "work_left">): TurnType {
  if (work_left <= 0) return "retry";
  return work_left <= 1 ? "must_return" : "normal";
}

/** The records of earlier work that a run has in addition to the given journal. */
interface EarlierRecords {
  /** The calls of the given records in an earlier attempt. */
  tasks: readonly TaskCalls[] | undefined;
  /** All records of a mission that is tried again. */
  records: readonly PackedRecord[] | undefined;
}

/** The journal as it was when the run stopped between two turns, else the given one. */
export function startingJournal(
  given: Json,
  state: AgentState | undefined,
  now: () => number,
  { tasks, records }: EarlierRecords,
): Result<Journal | null> {
  if (state) return ok(state.journal === null ? null : Journal.restore(state.journal, now));
  if (records !== undefined) return ok(Journal.restore(records.map(unpacked), now));
  return given === null ? ok(null) : Journal.parse(given, now, tasks);
}
