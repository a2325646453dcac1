import type { Failure } from "../core/failure";
import type { Journal } from "../core/journal/journal";
import type { JournalDecision } from "./messages";

/** Why a decision cannot be recorded; null when it can. Everything about it is unknown: signals are never checked on their way. */
export function checkJournalDecision(journal: Journal | null, decision: unknown): Failure | null {
  if (typeof decision !== "object" || decision === null || Array.isArray(decision))
    return bad("a decision is {id, value, by, note?, overwrite?}", decision);
  const { id, value, by, note, overwrite } = decision as Partial<JournalDecision>;
  if (typeof id !== "string" || id === "") return bad("`id` must be a non-empty text: the journal id to write", id);
  if (value === undefined) return bad("`value` is missing: any JSON value", value);
  if (typeof by !== "string" || by === "") return bad("`by` must name who decided", by);
  if (note !== undefined && typeof note !== "string") return bad("`note` must be a text", note);
  if (overwrite !== undefined && typeof overwrite !== "boolean")
    return bad("`overwrite` must be true or false", overwrite);
  if (journal === null)
    return {
      reason: "no_journal",
      message: "This run was started without a journal, so nothing can be recorded in it.",
    };
  return journal.refusal({ id, overwrite: overwrite ?? false });
}

function bad(expected: string, got: unknown): Failure {
  return { reason: "invalid_decision", message: `Bad decision: ${expected}; got ${JSON.stringify(got) ?? "nothing"}.` };
}
