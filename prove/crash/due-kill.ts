import type { AgentHandle } from "../../src/client/handles";

/** Ms between two looks at a history: an event follows the other in a few milliseconds. */
const LOOK_MS = 3;

/** A kill that is due when the history of a run has an event of some number. */
export class DueKill {
  /** Events of the history when it killed; null = not yet, or never. */
  at: number | null = null;
  private run: AgentHandle | undefined;
  private over: Promise<void> = Promise.resolve();

  constructor(private readonly event: number) {}

  /** Looks at the history until the kill is due or the run has ended. Resolves when the victim is up again. */
  watch(run: AgentHandle, kill: () => Promise<void>): Promise<void> {
    this.run = run;
    this.over = this.killWhenDue(run, kill);
    return this.over;
  }

  /** A call that ends here waits for a kill that is due: so the kill hits it, however quick the call is. */
  async wait(): Promise<void> {
    const seen = await this.run?.workflow.describe().catch(() => null);
    if (this.at === null && seen && seen.historyLength >= this.event) await this.over.catch(() => {});
  }

  private async killWhenDue(run: AgentHandle, kill: () => Promise<void>): Promise<void> {
    for (;;) {
      const seen = await run.workflow.describe().catch(() => null);
      if (seen !== null && seen.status.name !== "RUNNING") return;
      if (seen !== null && seen.historyLength >= this.event) {
        await kill();
        this.at = seen.historyLength;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
