import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { CallNotes } from "../../lisp/program";
import type { Step } from "./step";

/** The result of a call; `child` is the run of an agent that answered it, also if it failed. */
export interface Answered {
  answer: Result<Json>;
  child?: Step;
  notes?: CallNotes;
  /** Notes to the model besides the answer. */
  notice?: string;
  /** The earlier effects of the task around the call, if no record shows them. */
  unrecorded?: string;
  /** For the Step. */
  warnings?: { code: string; message: string }[];
}
