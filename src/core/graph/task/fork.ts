import type { MissionUsage } from "../../agent/budget/mission-usage";
import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { reachable, successors } from "../../base/ordering";
import type { PackedLedger } from "../../effects/packed-ledger";
import { type Definition, edgesFrom, nodeOf } from "../definition/schema";
import type { Task } from "./task-schema";

/** A fork's branches as separate tasks, and their result at the join (graph reference, section 9.1). */

/** What a child, or all of them together, came to. */
export type JoinResult = "passed" | "failed";

/** A branch or subflow that a task waits for, with what it has reported. */
export interface Child {
  id: string;
  /** First step of its branch; of a subflow, the node. */
  branch: string;
  /** `hitl`: it waits for a person, who may still continue it. */
  state: "open" | "hitl" | "over";
  /** null while it is open. */
  verdict: JoinResult | null;
  /** The output of its last step. */
  output?: Json;
  /** What is undone if the join fails. */
  undo_on_failure?: BranchUndo;
}

/** The work of a branch that its edge into the join undoes if the join fails. */
export interface BranchUndo {
  step: string;
  /** Of its work in the ledger. */
  lanes: string[];
}

/** What a child reports to the task that waits for it: at its end also its effects and its usage. */
export interface ChildReport extends Child {
  effects_handed_back?: PackedLedger;
  /** What it used; absent = nothing. */
  used?: MissionUsage;
}

/** First steps of a fork's branches, in edge order. */
export function branchesOf(definition: Definition, fork: string): string[] {
  return edgesFrom(definition, fork).map((edge) => edge.to);
}

/**
 * The branch of a fork that a step belongs to; null for a step outside of the branches. Orchestrators load tasks inside
 * a branch by their step.
 */
export function branchAt(definition: Definition, fork: string, step: string): string | null {
  const node = nodeOf(definition, fork);
  const join = node?.type === "fork" ? node.join : undefined;
  const next = successors(definition.edges.filter((edge) => edge.from !== join && edge.from !== fork));
  return branchesOf(definition, fork).find((branch) => reachable([branch], next).has(step)) ?? null;
}

/**
 * The branches that may begin now. `maxConcurrency` limits the branches at work; one that waits for a person does not
 * count.
 */
export function branchesToStart(definition: Definition, fork: string, children: readonly Child[]): string[] {
  const node = nodeOf(definition, fork);
  const limit = (node?.type === "fork" && node.maxConcurrency) || Number.POSITIVE_INFINITY;
  const begun = new Set(children.map((child) => child.branch));
  const free = limit - children.filter((child) => child.state === "open").length;
  return branchesOf(definition, fork)
    .filter((branch) => !begun.has(branch))
    .slice(0, Math.max(free, 0));
}

/** The result of the join once every branch has ended; null before. */
export function joinResult(definition: Definition, fork: string, children: readonly Child[]): JoinResult | null {
  if (children.some((child) => child.state !== "over")) return null;
  const begun = new Set(children.map((child) => child.branch));
  if (branchesOf(definition, fork).some((branch) => !begun.has(branch))) return null;
  const node = nodeOf(definition, fork);
  const join = node?.type === "fork" ? nodeOf(definition, node.join) : undefined;
  const anyPass = join?.type === "join" && join.strategy === "any-pass";
  const passed = (child: Child) => child.verdict === "passed";
  return (anyPass ? children.some(passed) : children.every(passed)) ? "passed" : "failed";
}

/** The outputs of a task's children as its history keeps them: branch -> verdict and last output. */
export function childrenOutput(children: readonly Child[]): JsonObject {
  return Object.fromEntries(children.map(({ id, verdict, output }) => [id, { verdict, ...defined({ output }) }]));
}

/** A task's report to the one that waits for it. `branch` is a step inside its branch. */
export function childReportOf(task: Task): Child {
  const { id, status, history } = task;
  const branch = task.branch ?? history[0]?.step ?? task.currentStep;
  const last = history.at(-1);
  const output = last?.output === undefined ? {} : { output: last.output };
  if (status === "HITL") return { id, branch, state: "hitl", verdict: "failed", ...output };
  if (status !== "COMPLETED" && status !== "FAILED") return { id, branch, state: "open", verdict: null };
  return { id, branch, state: "over", verdict: resultOf(task), ...output };
}

/** At a join the result that it arrived with decides, whichever edge it took; at an end, the result of the end. */
function resultOf({ status, endResult, history }: Task): JoinResult {
  const last = history.at(-1);
  if (status === "FAILED") return "failed";
  if (endResult !== undefined || last?.action === "close") return "passed";
  return last?.result === "failed" || last?.action === "escalate" ? "failed" : "passed";
}
