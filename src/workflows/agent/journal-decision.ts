import { failed, type Result } from "../../core/base/failure";
import { type JournalDecision, parseJournalDecision } from "../../core/journal/decision-input";
import type { Journal } from "../../core/journal/journal";

/** A decision that can be recorded now. Everything about `raw` is unknown: signals are never checked on their way. */
export function journalDecision(journal: Journal | null, raw: unknown): Result<JournalDecision> {
  const decision = parseJournalDecision(raw);
  if (!decision.ok) return decision;
  if (journal === null)
    return failed("no_journal", "This run was started without a journal, so nothing can be recorded in it.");
  const fail = journal.refusal(decision.value);
  return fail ? { ok: false, fail } : decision;
}
