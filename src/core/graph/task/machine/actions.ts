import type { AgentDefinition } from "../../../agent/definition/definition";
import type { AgentEnd } from "../../../agent/run/host";
import type { Failure } from "../../../base/failure";
import type { JsonObject } from "../../../base/json";
import type { GivenLedger } from "../../../effects/given-ledger";
import type { UndoneWork } from "../../../effects/undo/undo-scopes";
import type { ReviewEvent } from "../../../review/delivery";
import type { Review } from "../../../review/review";
import type { Definition } from "../../definition/schema";
import type { BranchUndo, Child } from "../fork";
import type { SyncRecord } from "../sync";
import type { Task } from "../task";
import type { TaskSetup } from "./setup";

/** The actions that the core requests from the workflow of a task, as plain data. */

/** What the workflow of a task should do next. It does it and reports the outcome (`Report`). */
export type NextAction =
  /** Waits until the time `until` (ms since 1970; null = without limit), or until `over` is true. */
  | { kind: "wait"; until: number | null; over: () => boolean }
  /** Runs an agent at the current step. */
  | { kind: "run_agent"; work: AgentWork }
  /** Waits for the agent's run that was started before the task continued as new. One that is not needed is cancelled. */
  | { kind: "await_agent"; workflowId: string; needed: boolean }
  /** Starts the tasks of a fork's branches, or of a subflow. */
  | { kind: "begin_children"; children: ChildStart[] }
  /** Looks up the newest definition of the workflow that a subflow names. */
  | { kind: "find_definition"; workflow: string }
  /** Takes back the effects in these agent scopes of the ledger. */
  | { kind: "undo"; lanes: string[]; because: string }
  /** Ends the workflow with a failure: the task cannot continue, and no person could help. */
  | { kind: "fail"; fail: Failure };

/** What the workflow reports for each kind of action. */
export interface Reports {
  /** Whether the time `until` has come. */
  wait: boolean;
  /** null: the run was cancelled because the task no longer needs it. */
  run_agent: AgentEnd | null;
  await_agent: AgentEnd | null;
  /** The children that exist now, in the order of their starts. */
  begin_children: Child[];
  /** null: no workflow of this id is loaded. */
  find_definition: { definition: Definition; version: number } | null;
  undo: UndoneWork;
  fail: never;
}
/** The outcome of one action. */
export type Report = Reports[NextAction["kind"]];

/** A part of the task's path: it yields the next action, and continues with the report. */
export type Actions<T = void> = Generator<NextAction, T, Report>;

/** Yields one action and gives its report. */
export function* act<Kind extends NextAction["kind"]>(
  action: Extract<NextAction, { kind: Kind }>,
): Actions<Reports[Kind]> {
  return (yield action) as Reports[Kind];
}

/** The run of an agent at a step. */
export interface AgentWork {
  step: string;
  /** From 1, over all visits to the step. */
  attempt: number;
  /** Of the child workflow. */
  workflowId: string;
  input: AgentWorkInput;
}

/** What the run of an agent is started with. */
export interface AgentWorkInput {
  agent: AgentDefinition;
  context: JsonObject;
  /** null: it is in the context. */
  journal: JsonObject | null;
  model: string;
  /** Who asked for the task. */
  requested_by?: string;
  /** What the mission has done so far, as far as the agent may meet it again. */
  effects: GivenLedger;
}

/** A branch or a subflow that starts as a separate task. */
export interface ChildStart {
  /** First step of the branch; of a subflow, the node. */
  branch: string;
  setup: TaskSetup;
}

/** The reports to others after a change, in this order. */
export type TaskEffect =
  /** Lists, pages and the parent task show it. */
  | { kind: "show"; view: VisibleTask }
  /** People who are named, or waited for, are notified of a review. */
  | { kind: "notify"; event: ReviewEvent; review: Review }
  /** Nobody waits for this child task any more. */
  | { kind: "drop_child"; task_id: string }
  /** The running agent is no longer needed. */
  | { kind: "cancel_agent" }
  /** The task was loaded anew: lists get all of its attributes. */
  | { kind: "reloaded"; task: Task; order?: number };

/** The part of a task that is visible from outside. */
export interface VisibleTask {
  definition: Definition | undefined;
  task: Task;
  /** It was taken out of the tree. */
  removed: boolean;
  /** Its moves are recorded until they are confirmed. */
  tracked: boolean;
  syncs: readonly SyncRecord[];
  openReviews: readonly Review[];
  /** Notes for people. */
  notes: readonly string[];
  /** Its last move has something to undo: the task's end is not reported before. */
  undoing: boolean;
  /** Of a branch at its join: what is undone if the join fails. */
  undo_on_failure?: BranchUndo;
}
