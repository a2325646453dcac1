import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from "@temporalio/workflow";
import type { Step } from "../../core/agent/result/step";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import type { StepLedger } from "../../core/effects/chain/head";
import type { AgentRunStatus, Parked } from "../agent-run-input";
import { effectLines } from "../effect-lines";
import type { InboxChanges } from "../inbox/shown-inbox";
import { usageMemo } from "../inbox/usage-memo";
import type { UsageAnswer } from "../messages";
import { askingAttributes, ledgerAttributes, statusAttributes } from "../search-attributes";
import { agentDetails } from "./agent-details";
import type { RunParts } from "./run-parts";

/** Shows people a run: its status, its memo, its search attributes, and its page in the Temporal Web UI. */
export class RunVisibility {
  private state: AgentRunStatus["state"] = "running";
  private waiting: Json | undefined;
  /** NavigatorStatus was set, so it must be kept up to date. */
  private statusShown: boolean;
  private openReviews: number;

  constructor(private readonly run: RunParts) {
    this.statusShown = run.input.carried?.status_shown === true;
    this.openReviews = this.statusShown ? run.reviews.book.open().length : 0;
  }

  /** From now on the run shows a pause, and that it is blocked. @param pauseChanged called when a pause begins or ends */
  follow(pauseChanged: () => void): void {
    const { blocked, pause } = this.run;
    blocked.follow(
      () => this.show(),
      () => this.openReviews,
    );
    pause.follow(
      () => this.statusWithoutPause(),
      () => {
        pauseChanged();
        this.show();
      },
    );
  }

  /** The page of the run, during the mission and after it. */
  show(step?: Step): void {
    const { agentRun, journal, reviews, treeBudget } = this.run;
    setCurrentDetails(
      agentDetails({
        status: this.status(),
        step,
        log: journal.shownLog(),
        progress: agentRun.progress(),
        effects: effectLines(agentRun.ledger.all()),
        reviews: reviews.book.all(),
        budget: treeBudget?.state(),
      }),
    );
  }

  status(): AgentRunStatus {
    const { agentRun, host, refusedSignals } = this.run;
    const blocked = this.state === "running" ? this.run.blocked.first : undefined;
    const paused = this.state === "running" || this.state === "waiting" ? this.run.pause.on : undefined;
    return {
      state: this.shownState({ blocked, paused }),
      ...defined({ waiting: this.waiting, blocked, paused }),
      open_reviews: this.openReviews,
      turn: agentRun.turnNumber,
      invocation: host.invocation,
      refused_signals: refusedSignals,
    };
  }

  private shownState({ blocked, paused }: Pick<AgentRunStatus, "blocked" | "paused">): AgentRunStatus["state"] {
    if (paused !== undefined) return "paused";
    if (blocked !== undefined) return "blocked";
    const isAsking = this.state === "running" && this.openReviews > 0;
    if (this.state !== "waiting" && !isAsking) return this.state;
    // Nobody is waited for while the run finds out whether a decision counts.
    return this.run.verifier.isBusy ? "running" : "waiting";
  }

  /** The usage of the run so far, and the budget that it owns. */
  usage(): UsageAnswer {
    const { treeBudget: budget, used } = this.run;
    return {
      used: used.total(),
      budget: budget === undefined ? null : { ...budget.state(), reserved: budget.reserved() },
    };
  }

  /** Lists and pages show how many reviews are open. */
  reviewsChanged(): void {
    const { chain, inbox, pause, reviews } = this.run;
    chain.reviews(reviews.all());
    const open = reviews.book.open();
    const { attributes, memo } = inbox.change({ reviews: open });
    if (open.length !== this.openReviews || attributes.length > 0) {
      this.openReviews = open.length;
      this.statusShown = true;
      const first = pause.isOn ? "PAUSED" : this.run.blocked.first !== undefined ? "BLOCKED" : undefined;
      const asking = askingAttributes(open.length, first);
      upsertSearchAttributes([...asking, ...attributes, ...chain.attributes()]);
    }
    this.writeMemo(memo);
    this.show();
  }

  /** The run is parked. @param isNew it was not parked before it continued as new */
  parked(parked: Parked, isNew: boolean): void {
    this.state = "waiting";
    this.waiting = parked.waiting;
    if (isNew) {
      const { attributes, memo } = this.run.inbox.change({ parked });
      this.showStatus("WAITING", attributes);
      this.run.journal.writeForPeople({ ...memo, ...this.usageMemo() });
    }
    this.show();
  }

  /** A parked run continues. */
  continued(): void {
    this.state = "running";
    this.waiting = undefined;
    const { attributes, memo } = this.run.inbox.change({ parked: null });
    this.showStatus("RUNNING", attributes);
    this.writeMemo(memo);
  }

  ended(step: Step, ledger: StepLedger | undefined): void {
    this.state = step.fail === null ? "completed" : "failed";
    const isShown = this.isStatusShown || this.run.blocked.shown;
    const status = step.fail !== null ? "FAILED" : isShown ? "COMPLETED" : undefined;
    const attributes = [
      ...(status === undefined ? [] : statusAttributes(status)),
      ...(ledger === undefined ? [] : ledgerAttributes(ledger)),
    ];
    if (attributes.length > 0) upsertSearchAttributes(attributes);
    const memo = this.usageMemo();
    // The result has the changes that the journal has to write.
    if (Object.keys(memo).length > 0) upsertMemo(memo);
    this.show(step);
  }

  cancelled(): void {
    this.state = "cancelled";
    if (this.isStatusShown) upsertSearchAttributes(statusAttributes("CANCELLED"));
    this.show();
  }

  usageMemo(): { [field: string]: unknown } {
    return usageMemo(this.run.used.total(), this.run.agentRun.ledger.all());
  }

  /** NavigatorStatus was set by the run or by a pause. */
  get isStatusShown(): boolean {
    return this.statusShown || this.run.pause.shown;
  }

  /** The memo that the next run begins with. */
  memo(): { [field: string]: unknown } {
    const { inbox, journal, pause } = this.run;
    return { ...journal.memo(), ...inbox.forNextRun(), ...this.usageMemo(), ...pause.memo() };
  }

  /** Writes the memo with the changes that the journal has to write. */
  private writeMemo(memo: InboxChanges["memo"]): void {
    if (Object.keys(memo).length > 0) this.run.journal.pendingChanges.write({ ...memo, ...this.usageMemo() });
  }

  private showStatus(status: string, more: InboxChanges["attributes"]): void {
    this.statusShown = true;
    upsertSearchAttributes([...statusAttributes(this.run.pause.shownAs(status)), ...more]);
  }

  private statusWithoutPause(): string {
    if (this.run.blocked.first !== undefined) return "BLOCKED";
    return this.state === "waiting" || this.openReviews > 0 ? "WAITING" : "RUNNING";
  }
}
