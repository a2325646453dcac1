import type { Json } from "../../base/json";

/** What the check of an exported ledger found (approvals reference, section 6). */
export interface LedgerVerdict {
  /** Nothing was changed, and each decision and signature is valid. */
  ok: boolean;
  /**
   * false: something is missing that would show more, and the notes name it. A workflow reports that it was not over,
   * so its end may have been cut off: then `ok` is about the links that the last signed heads cover. No link names a workflow.
   * The arguments of a question were not kept. Somebody decided by name alone before the people had keys.
   */
  whole: boolean;
  mission: string;
  /** The problems, in the order of the lines. */
  problems: LedgerProblem[];
  /** What cannot be checked, and why: no problem of the ledger itself. */
  notes: string[];
  counts: { lines: number; links: number; decisions: number; verified: number; effects: number; signed_heads: number };
  /** Where the chain of each workflow ends, and who signed that. */
  ends: { workflow: string; seq: number; head: string; final: boolean; signed_by: string | null }[];
  /** Who decided what, when, with which words. */
  decisions: ShownDecision[];
}

/** One problem. */
export interface LedgerProblem {
  /** From 1; 0: the file as a whole. */
  line: number;
  /** Stable. Those of decisions are the codes with which a workflow refuses them. */
  code: string;
  message: string;
}

/** One decision, as a reader wants it. */
export interface ShownDecision {
  line: number;
  workflow: string;
  review: string;
  title: string;
  choice: string;
  by: string;
  /** In whose place: a delegate decided, or somebody who was given the decision. */
  for?: string;
  /** ISO time. */
  at: string;
  note?: string;
  value?: Json;
  /** The arguments of the call that was asked about. */
  args?: Json;
  /** The version of the people with which the run checked it (approvals reference, section 2). */
  people_version?: string;
  /** The signer, if the signature is valid; null: nothing vouches for the name. */
  signed_by: string | null;
}
