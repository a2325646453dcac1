import { condition } from "@temporalio/workflow";
import { isShown } from "../../core/review/refused-signals";
import type { Parked } from "../agent-run-input";
import { historyIsFull, IdleSignals } from "../history-limits";
import type { RunParts } from "./run-parts";
import type { RunVisibility } from "./visibility";

/**
 * The waits of a run: for the end of a pause, and for people between two invocations. Refused signals make the history long while the
 * run only waits: then it continues as new in the middle of a wait.
 */
export class RunWaits {
  private readonly idle = new IdleSignals();
  /** The history has become long while the run waits. */
  private mustMove = false;

  /** @param continueAsNew returns if the run cannot */
  constructor(
    private readonly run: RunParts,
    private readonly visibility: RunVisibility,
    private readonly continueAsNew: (parked?: Parked) => Promise<void>,
  ) {}

  signalRefused(): void {
    if (isShown(this.run.refusedSignals)) this.visibility.show();
    if (!this.idle.add()) return;
    this.mustMove = true;
    this.run.agentRun.recheck();
  }

  /** The run cannot continue as new yet. */
  stay(): void {
    this.idle.stay();
  }

  /** Between two turns, or in the middle of one with nothing under way: also a paused run may continue as new. */
  async untilResumed(): Promise<void> {
    const { pause } = this.run;
    while (pause.isOn) {
      await pause.over(() => this.mustMove);
      if (!this.mustMove) continue;
      this.mustMove = false;
      await this.continueAsNew();
    }
  }

  /** Waits, for days if needed, until a person decides or the wait ends. False: the run can neither wait here any longer nor continue as new. */
  async untilDecided(parked: Parked): Promise<boolean> {
    const { journal } = this.run;
    const over = () => journal.hasUnseenDecision || this.mustMove;
    for (;;) {
      if (parked.until === null) await condition(over);
      else if (!(await condition(over, Math.max(1, parked.until - Date.now())))) this.recordTimeout();
      if (journal.hasUnseenDecision) return true;
      this.mustMove = false;
      await this.continueAsNew(parked);
      if (historyIsFull()) return false;
    }
  }

  /** The mission must know that nobody answered, so the timer writes a record, as a person would. */
  private recordTimeout(): void {
    const { chain, host, journal } = this.run;
    chain.advanceClock();
    journal.record({ id: `wait_timeout_${host.invocation}`, value: true, by: "timer" });
    this.visibility.show();
  }
}
