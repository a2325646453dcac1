import { defined } from "../../base/defined";
import { type Definition, maxRetriesOf, nodeOf } from "../definition/schema";
import { retriesUsedAt } from "../task/new-task";
import { movesOf } from "../task/recent-moves";
import { takenEdge } from "../task/taken-edge";
import type { Task, TaskEntry } from "../task/task-schema";

/** Where a task is on its graph and how it came there, as data for a drawing (graph reference, section 8). */
export interface TaskWay {
  taskId: string;
  status: Task["status"];
  currentStep: string;
  /** Nodes where the task was, or is. */
  nodes: VisitedNode[];
  /** Edges that it took. */
  edges: TakenEdge[];
  /** The last moves, the oldest first. */
  moves: WayMove[];
  /** Moves before those. */
  earlierMoves: number;
  /** At a wait: when it continues, ms since 1970. */
  waitingUntil?: number;
  /** Why it cannot continue automatically. */
  blockedBy?: string;
  /** Of a task that ended. */
  endResult?: string;
  /** Of a branch or a subflow. */
  parentTaskId?: string;
  branch?: string;
  /** The open tasks of its branches, or of its subflow. */
  waitingFor: string[];
}

/** A node on the way of a task. */
export interface VisitedNode {
  id: string;
  /** How often the task came here. */
  visits: number;
  /** Retries taken from here since the last success, and those that are left. */
  retriesUsed: number;
  retriesLeft: number;
}

/** An edge on the way of a task. */
export interface TakenEdge {
  /** Its place in the definition, from 0. */
  number: number;
  taken: number;
  /** The number of the last move over it, from 1. */
  last: number;
}

/** One move of a task. */
export interface WayMove extends Pick<TaskEntry, "step" | "to" | "result" | "action" | "at"> {
  /** From 1. */
  number: number;
  /** The place of its edge in the definition; absent = it took none. */
  edge?: number;
  /** How many effects it took back. */
  undone?: number;
}

/** The way of a task. @param maxMoves how many moves are listed: the way itself has all that the task remembers */
export function taskWay(definition: Definition, task: Task, maxMoves = 200): TaskWay {
  const { id, status, currentStep, history, earlierMoves = 0 } = task;
  const visits = new Map<string, number>();
  const visit = (step: string) => visits.set(step, (visits.get(step) ?? 0) + 1);
  visit(history[0]?.step ?? currentStep);
  const edges = new Map<number, TakenEdge>();
  const moves = history.map((entry, index): WayMove => {
    const number = earlierMoves + index + 1;
    if (entry.to !== null) visit(entry.to);
    const edge = takenEdge(definition, entry);
    // A fork is left by an edge of its join.
    if (edge !== undefined && edge.from !== entry.step) visit(edge.from);
    const at = edge === undefined ? undefined : definition.edges.indexOf(edge);
    if (at !== undefined) edges.set(at, { number: at, taken: (edges.get(at)?.taken ?? 0) + 1, last: number });
    const { step, to, result, action, at: time, undo } = entry;
    return { number, step, to, result, action, at: time, ...defined({ edge: at, undone: undo?.undone }) };
  });
  const shown = moves.slice(Math.max(0, moves.length - maxMoves));
  return {
    taskId: id,
    status,
    currentStep,
    nodes: [...visits].map(([step, n]) => visited(definition, task, step, n)),
    edges: [...edges.values()].sort((a, b) => a.number - b.number),
    moves: shown,
    earlierMoves: movesOf(task) - shown.length,
    waitingFor: task.waitingFor ?? [],
    ...defined({
      waitingUntil: task.waitingUntil,
      blockedBy: task.blockedBy,
      endResult: task.endResult,
      parentTaskId: task.parentTaskId,
      branch: task.branch,
    }),
  };
}

function visited(definition: Definition, task: Task, id: string, visits: number): VisitedNode {
  const node = nodeOf(definition, id);
  const retriesUsed = retriesUsedAt(task, id);
  return { id, visits, retriesUsed, retriesLeft: Math.max(0, (node ? maxRetriesOf(node) : 0) - retriesUsed) };
}
