import { z } from "zod";
import { isMission } from "../../base/ids";
import { formatFields, like, workflowInput } from "../../base/input/workflow-input";
import type { RunFormat } from "../../base/run-format";
import type { UndoRest } from "./undo-plan";
import type { OnUndoFailure, UndoResult } from "./undo-steps";

/** Input of the workflow `undoRun`. */
export interface UndoRunInput extends RunFormat {
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
  carried?: ContinuedUndo;
}

/** The state of the previous run, which continued as new. */
export interface ContinuedUndo extends UndoResult {
  /** The keys of the steps that are still to be done, in their order. */
  next: string[];
  remaining: UndoRest[];
}

/** What `undoRun` returns. A failed one fails its workflow, with this as the details of the failure. */
export interface UndoRunResult extends UndoResult {
  mission: string;
  to?: string;
  /** The effects that the plan listed as not undoable. */
  remaining: UndoRest[];
}

/** Reads the input of an undo. */
export const readUndoInput = workflowInput(
  "undoRun",
  "mission and digest",
  () => {
    const mission = "must be the workflow id of a mission, as in agent/order-42";
    return {
      fields: {
        ...formatFields(),
        mission: z.string(mission).refine(isMission, mission),
        to: z.string("must be the id of a record").optional(),
        digest: z.string("must be the digest of the plan"),
        on_failure: z.enum(["stop", "continue"], "must be stop or continue").optional(),
        by: z.string("must be the name of a person").min(1, "must be the name of a person").optional(),
      },
      continuedFields: { carried: like({ next: [], remaining: [], undone: [], failed: [], left: [] }) },
    };
  },
  (raw) => () => raw as unknown as UndoRunInput,
);
