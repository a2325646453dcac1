import type { JsonObject } from "../../base/json";

/** The work at the steps of a task as plain data. */
export interface StepWorkState {
  /** For steps with unfinished work: the next attempt continues where the last one ended. */
  journals: { [step: string]: JsonObject | null };
  attempts: { [step: string]: number };
}

/**
 * The work that agents do at the steps of one task. All attempts at a piece of work share one journal, whether a step is
 * retried in place or resumed after a person was asked: finished work is not repeated. Only a step whose work was finished,
 * and which is entered again (a later gate sent it back), is new work.
 */
export class StepWork {
  private readonly journals: StepWorkState["journals"];
  private readonly attempts: StepWorkState["attempts"];

  constructor(state?: StepWorkState) {
    this.journals = { ...state?.journals };
    this.attempts = { ...state?.attempts };
  }

  /** The number of the attempt that starts now, from 1. */
  begin(step: string): number {
    this.attempts[step] = (this.attempts[step] ?? 0) + 1;
    return this.attempts[step];
  }

  /** What the last attempt left; undefined before the first one. */
  journalOf(step: string): JsonObject | undefined {
    return this.journals[step] ?? undefined;
  }

  keep(step: string, journal: JsonObject | null): void {
    this.journals[step] = journal;
  }

  finish(step: string): void {
    delete this.journals[step];
  }

  state(): StepWorkState {
    return { journals: this.journals, attempts: this.attempts };
  }
}
