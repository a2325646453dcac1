import type { UndoRest } from "../core/effects/undo-plan";
import type { OnUndoFailure, UndoResult } from "../core/effects/undo-steps";

/** Input of the workflow `undoRun`. */
export interface UndoRunInput {
  /** The workflow id of the mission. */
  mission: string;
  /** Only what was done after this record. */
  to?: string;
  /** Of the plan that was agreed to. If another one would run by now, nothing is undone. */
  digest: string;
  /** When an effect cannot be taken back. Default: `stop`. */
  on_failure?: OnUndoFailure;
  /** The person who asked for it. */
  by?: string;
  carried?: CarriedUndo;
}

/** The state of the previous run, which continued as new. */
export interface CarriedUndo extends UndoResult {
  /** The keys of the steps that are still to be done, in their order. */
  next: string[];
  remaining: UndoRest[];
}

/** What `undoRun` returns. A failed one fails its workflow, with this as the details of the failure. */
export interface UndoRunResult extends UndoResult {
  mission: string;
  to?: string;
  /** What could not be undone from the beginning: the plan said so. */
  remaining: UndoRest[];
}
