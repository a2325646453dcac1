import { writtenFacts } from "./decode-events";
import type { FactOf, HistoryFact } from "./facts";
import { withSharedCalls } from "./shared-calls";

/** The facts of an exported history. @throws HistoryFormatError with the mistake and its place */
export const readHistory = (history: unknown): HistoryFact[] => withSharedCalls(writtenFacts(history));

/** How the run of a history was started; undefined: the export lacks that event. @param history absent: there is none */
export function startedIn(history: unknown): FactOf<"started"> | undefined {
  const [first] = readHistory(history ?? []);
  return first?.kind === "started" ? first : undefined;
}

/** How the run of a history ended for good; undefined: it has not. @param history absent: there is none */
export function endedIn(history: unknown): FactOf<"ended"> | undefined {
  const last = readHistory(history ?? []).at(-1);
  return last?.kind === "ended" ? last : undefined;
}

/** The workflows that keep a ledger of their effects and a chain: an undo keeps neither. */
const WITH_LEDGER = ["agentRun", "navigatorTask", "planRun"];

/** Whether the run of a history keeps a ledger and a chain. @param first its first fact */
export const keepsLedger = (first: HistoryFact | undefined): boolean =>
  first?.kind === "started" && WITH_LEDGER.includes(first.workflow_type);
