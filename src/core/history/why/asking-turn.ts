import { withoutHidden } from "../../agent/prompt/hidden-values";
import { extractProgram } from "../../agent/reply/extract-program";
import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { Review } from "../../review/review-schema";
import { startedIn } from "../read/history";
import { givenBudget } from "../trace/given-budget";
import { numberAt } from "../trace/number-at";
import { readRun } from "../trace/read-run";
import type { TurnSpan } from "../trace/span";

/** Why the run of an agent asks people: what it works for, and the program that made the call. */
export interface AskingTurn {
  agent: string | null;
  /** What the agent is for, in its own words. */
  description?: string;
  /** What the run was given. Values under names that begin with `_` are hidden, as they are from the model. */
  context?: Json;
  /** Absent: the review is of no turn. */
  turn?: number;
  /** From 2 on: the run was woken by a decision. */
  invocation?: number;
  /** null: the call came without a program, or its history is gone. */
  program: string | null;
  /** The lines of the program that call the tool, from 1. */
  lines: number[];
  /** The model's text next to its program. */
  said?: string;
  model?: string;
  /** What the programs of the turn before printed, so what the model knew. */
  known: string[];
  /** What the model calls of the run took until now. Of runs below it nothing is known here. */
  spent: { turns: number; tokens: number; cost?: number };
  /** The budget of the run and everything below it; null: it has no limit. */
  budget: JsonObject | null;
}

/** @param runs the histories of the workflow that asks, the oldest first; null = it is no run of an agent */
export function askingTurn(review: Pick<Review, "data" | "createdAt">, runs: readonly unknown[]): AskingTurn | null {
  const read = readRun(runs);
  if (read === null || read.workflow_type !== "agentRun") return null;
  const { agent, context } = read.run.opened.metadata;
  const { turn: number, tool } = review.data;
  // A run that was woken by a decision has another turn of the same number.
  const input = startedIn(runs[0])?.input;
  const before = read.turns.filter(({ start }) => start <= review.createdAt);
  const at = before.findLastIndex((turn) => typeof number !== "number" || turn.number === number);
  const turn = before[at];
  const program = turn?.closed.metadata.program;
  const text = [program, input?.program].find((one) => typeof one === "string");
  const about = isObject(agent) ? agent : {};
  const given = isObject(input?.agent) ? input.agent : {};
  return {
    agent: typeof about.name === "string" ? about.name : null,
    ...defined({
      description: typeof given.description === "string" ? given.description : undefined,
      context: context === undefined ? undefined : withoutHidden(context),
      turn: turn?.number,
      invocation: turn?.invocation,
      ...modelOfTurn(turn),
    }),
    program: text ?? null,
    lines: typeof tool === "string" && text !== undefined ? linesOfCall(text, tool) : [],
    known: printsOf(before[at - 1]),
    spent: spentIn(read.turns),
    budget: givenBudget(input),
  };
}

function modelOfTurn(turn: TurnSpan | undefined): { said?: string; model?: string } {
  const llm = turn?.children.findLast(({ kind }) => kind === "llm");
  const { response, model = llm?.opened.metadata.model } = llm?.closed.metadata ?? {};
  const aside = typeof response === "string" ? response.replace(extractProgram(response).kept, "").trim() : "";
  return defined({
    said: aside === "" ? undefined : aside,
    model: typeof model === "string" ? model : undefined,
  });
}

function printsOf(turn: TurnSpan | undefined): string[] {
  const prints = turn?.record?.prints ?? turn?.closed.metadata.prints;
  return Array.isArray(prints) ? prints.map(String) : [];
}

/** Programs write `-` where tools may have `_`. */
function linesOfCall(program: string, tool: string): number[] {
  const name = tool.replaceAll("-", "_");
  return program.split("\n").flatMap((line, i) => {
    const calls = [...line.matchAll(/tool\/([^\s()[\]{}",;]+)/g)];
    return calls.some(([, called = ""]) => called.replaceAll("-", "_") === name) ? [i + 1] : [];
  });
}

function spentIn(turns: readonly TurnSpan[]): AskingTurn["spent"] {
  const calls = turns.flatMap(({ children }) => children.filter(({ kind }) => kind === "llm"));
  const sum = (field: string) => calls.reduce((all, { closed }) => all + numberAt(closed.measurements, field), 0);
  const cost = sum("total_cost");
  return { turns: turns.length, tokens: sum("total_tokens"), ...(cost > 0 ? { cost } : {}) };
}
