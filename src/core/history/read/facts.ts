import type { Json, JsonObject } from "../../base/json";
import type { Change } from "../../journal/changes";

/** The facts in a history: one for each event. All readers of histories are folds over facts. */

/** The states in which a workflow ends. */
const END_STATES = ["completed", "failed", "cancelled", "terminated", "timed_out"] as const;
/** The state in which a workflow ended. */
export type EndState = (typeof END_STATES)[number];

/** Whether a word is the state in which a workflow ends. */
export const isEndState = (word: unknown): word is EndState => END_STATES.some((state) => state === word);

/** The failure that began a chain of failures. */
export interface FactFailure {
  /** The class that code gave it, which may be ""; null: Temporal itself reports it. */
  type: string | null;
  message: string | undefined;
  /** The kind of failure that Temporal itself reports. */
  ending: "failed" | "timed_out" | "cancelled";
  /** The first of its details. */
  details: Json | undefined;
}

/** Each kind of fact with its fields. An `input` is the first argument, unless it is absent, encrypted or no map. */
export interface FactFields {
  started: {
    workflow_type: string;
    /** "": an export may lack ids. */
    workflow_id: string;
    run_id: string;
    /** The run that began the chain of runs of a workflow that continued as new. */
    first_run_id: string;
    /** The run before this one. */
    continued_run_id: string;
    priority: Json | undefined;
    input: JsonObject | undefined;
    memo: JsonObject;
    header: JsonObject;
  };
  activity_scheduled: { activity: string; activity_id: string; input: JsonObject | undefined; header: JsonObject };
  /** `call`: the id of the fact that scheduled the activity. */
  activity_started: { call: number; attempt: number };
  activity_cancel_requested: { call: number };
  activity_ended: {
    call: number;
    outcome: "completed" | "failed" | "timed_out" | "cancelled";
    result: Json | undefined;
    failure: FactFailure | undefined;
    /** The heartbeat of an activity that timed out, or that was given back for its lost worker. */
    kept: Json | undefined;
  };
  local_activity: {
    activity: string;
    activity_id: string;
    attempt: number;
    /** Ms since 1970. */
    scheduled_at: number | undefined;
    completed_at: number | undefined;
    /** undefined: it failed. */
    answer: Json | undefined;
    failure: FactFailure | undefined;
  };
  child_asked: { workflow_type: string; workflow_id: string; input: JsonObject | undefined };
  /** `call`: the id of the fact that asked for the child. */
  child_started: { call: number; workflow_id: string; run_id: string };
  child_ended: {
    call: number;
    workflow_id: string;
    outcome: EndState | "not_started";
    /** As `result` of `ended`. */
    result: Json | undefined;
    failure: FactFailure | undefined;
    /** Why the server did not start it. */
    cause: string | undefined;
  };
  signal: { name: string; input: JsonObject | undefined };
  update_accepted: { update_id: string; name: string; input: JsonObject | undefined };
  /** `accepted`: the id of the fact that accepted it. `failure`: it was refused after that. */
  update_completed: { accepted: number; failure: FactFailure | undefined };
  cancel_requested: { cause: string };
  timer_started: unknown;
  /** `timer`: the id of the fact that started it. */
  timer_ended: { timer: number };
  /** The memo fields that the workflow has written; null: it has removed the field. */
  memo_changed: { memo: JsonObject };
  attributes_changed: { attributes: JsonObject };
  workflow_task_completed: unknown;
  /** `new_run_id`: a reset of the workflow began this run; `base_run_id`: the run that was reset. */
  workflow_task_failed: { new_run_id: string; base_run_id: string };
  ended: {
    state: EndState;
    /** The result, or the first of the details of its failure: a run that failed keeps its Step there. */
    result: Json | undefined;
    failure: FactFailure | undefined;
    /** Of a terminated workflow, in the words of the person who ended it. */
    reason: string;
    details: Json[];
    /** The run that follows, by a retry policy or a schedule. */
    next_run_id: string;
  };
  continued_as_new: { next_run_id: string };
  /** An event that no reader needs. */
  other: unknown;
}

/** The kind of a fact. */
export type FactKind = keyof FactFields;

/** A fact of one kind. */
export type FactOf<K extends FactKind> = {
  kind: K;
  /** The id of its event. */
  id: number;
  /** Ms since 1970. */
  at: number;
  /** The worker's note about the command, shown in the Web UI. */
  summary?: string;
  /** The changes of journal, ledger and chain that came with the event, in their order. */
  changes: readonly Change[];
} & FactFields[K];

/** One event of a history, decoded. */
export type HistoryFact = { [K in FactKind]: FactOf<K> }[FactKind];

/** A function for each kind of fact that a reader needs. */
export type FactReaders<R> = { [K in FactKind]?: (fact: FactOf<K>) => R };

/** The result of the function for the kind of a fact; undefined: there is no function for it. */
export function readFact<R>(readers: FactReaders<R>, fact: HistoryFact): R | undefined {
  return (readers[fact.kind] as ((fact: HistoryFact) => R) | undefined)?.(fact);
}
