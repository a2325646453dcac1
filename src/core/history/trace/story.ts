import { withoutHidden } from "../../agent/prompt/hidden-values";
import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { readHistory } from "../read/history";
import { historyEnd, type WorkflowEnd } from "../read/workflow-end";
import { addRecords } from "./add-records";
import { numberAt } from "./number-at";
import { readRun } from "./read-run";
import type { Span, TurnSpan } from "./span";

/** The work of one agent run, turn by turn, from its histories alone: no worker is needed. */
export interface Story {
  workflow_id: string;
  turns: StoryTurn[];
  /** How it ended; null while it runs, and where it continued as new without another history. */
  end: WorkflowEnd | null;
  /** Notes about the whole run, such as a missing journal. Known at the end. */
  warnings: { code: string; message: string }[];
}

/** One turn: the program, its outcome, and the feedback that the model received. */
export interface StoryTurn {
  number: number;
  /** From 2 on: the run was woken by a decision, and started again with turn 1. */
  invocation: number;
  /** Ms since 1970. */
  at: number;
  /** Absent while it runs. */
  duration_ms?: number;
  /** null: the reply had no program. */
  program: string | null;
  /** The whole reply, where it had no program. */
  reply?: string;
  prints: string[];
  calls: StoryCall[];
  /** Why the turn failed. */
  error?: string;
  /** The feedback on this turn, which the model received with the next one. */
  told?: string;
  /** The model that answered last. Absent: no model was asked. */
  model?: string;
  /** How often a model was asked. */
  model_calls: number;
  /** Of all model calls of the turn; absent where no provider reported them. */
  tokens?: { input: number; output: number };
  /** What the model calls cost, in US dollars; absent when unknown. */
  cost?: number;
}

/** A call of a tool or of an agent. */
export interface StoryCall {
  name: string;
  args?: Json;
  /** The answer, or why there is none. Neither while it runs. */
  answer?: Json;
  error?: string;
  duration_ms?: number;
  /** The id of the run of an agent. */
  child?: string;
}

/**
 * Shows the work of a run. Values under names that begin with `_` are hidden, as they are from the model.
 *
 * @param runs histories of one workflow that continued as new, oldest first; of any other its only one
 * @returns null for another kind of run
 * @throws HistoryFormatError for input that is no history
 */
export function storyOf(runs: readonly unknown[]): Story | null {
  const read = readRun(runs);
  if (read === null || read.workflow_type !== "agentRun") return null;
  addRecords(read);
  const asked = read.turns.map(lastQuestion);
  return {
    workflow_id: read.workflow_id,
    turns: read.turns.map((turn, i) => {
      const next = read.turns[i + 1];
      const feedback = next?.invocation === turn.invocation ? asked[i + 1] : undefined;
      return turnOf(turn, feedback);
    }),
    end: historyEnd(readHistory(runs.at(-1))),
    warnings: read.step?.warnings ?? [],
  };
}

function turnOf(turn: TurnSpan, feedback: string | undefined): StoryTurn {
  const { program, raw_response, prints } = turn.closed.metadata;
  const { record } = turn;
  const failed = record !== undefined && !record.success;
  return {
    number: turn.number,
    invocation: turn.invocation,
    at: turn.start,
    ...(turn.end === null ? {} : { duration_ms: turn.end - turn.start }),
    program: typeof program === "string" ? program : null,
    ...(typeof program !== "string" && typeof raw_response === "string" ? { reply: raw_response } : {}),
    prints: Array.isArray(prints) ? prints.map(String) : [],
    calls: turn.children.filter(({ kind }) => kind === "tool").map(callOf),
    ...(failed ? { error: errorText(record.result) } : {}),
    ...(feedback === undefined ? {} : { told: feedback }),
    ...askedOf(turn),
  };
}

/** What the model calls of a turn used. */
function askedOf({ children }: TurnSpan): Pick<StoryTurn, "model" | "model_calls" | "tokens" | "cost"> {
  const asked = children.filter(({ kind }) => kind === "llm");
  const sum = (field: string) => asked.reduce((total, { closed }) => total + numberAt(closed.measurements, field), 0);
  const last = asked.at(-1);
  const model = last?.closed.metadata.model ?? last?.opened.metadata.model;
  const [input, output, cost] = [sum("input_tokens"), sum("output_tokens"), sum("total_cost")];
  return {
    ...(typeof model === "string" ? { model } : {}),
    model_calls: asked.length,
    ...(input + output > 0 ? { tokens: { input, output } } : {}),
    ...(cost > 0 ? { cost } : {}),
  };
}

function callOf({ opened, closed, start, end, timed }: Span): StoryCall {
  const facts: JsonObject = { ...opened.metadata, ...closed.metadata };
  const { tool_name, args, result, exception, child_workflow_id } = facts;
  return {
    name: String(tool_name ?? ""),
    ...(args === undefined ? {} : { args: withoutHidden(args) }),
    ...(result === undefined ? {} : { answer: withoutHidden(result) }),
    ...(exception === undefined ? {} : { error: errorText(exception) }),
    ...(end === null || !timed ? {} : { duration_ms: end - start }),
    ...(typeof child_workflow_id === "string" ? { child: child_workflow_id } : {}),
  };
}

/** The last message to the model before a turn: the feedback to the turn before. */
function lastQuestion(turn: TurnSpan): string | undefined {
  const messages = turn.children.find(({ kind }) => kind === "llm")?.opened.metadata.messages;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isObject(last) && last.role === "user" && typeof last.content === "string" ? last.content : undefined;
}

function errorText(error: Json | undefined): string {
  if (!isObject(error) || typeof error.message !== "string") return JSON.stringify(withoutHidden(error ?? null));
  const { reason, message } = error as unknown as Failure;
  return typeof reason === "string" ? `${reason}: ${message}` : message;
}
