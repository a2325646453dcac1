import { setCurrentDetails, setHandler, upsertMemo, upsertSearchAttributes } from "@temporalio/workflow";
import type { Result } from "../../core/base/failure";
import { type Missing, missingDetails } from "../../core/base/input/missing";
import { pausedText } from "../../core/base/input/pause";
import type { ToolSpec } from "../../core/calls/tool";
import { textInMarkdown } from "../../core/review/markdown";
import { describeCalls, untilServedCalls } from "../activity-calls";
import type { AgentRunStatus } from "../agent-run-input";
import { BlockedCalls, NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import type { ShownInbox } from "../inbox/shown-inbox";
import * as messages from "../messages";
import type { RunPause } from "../run-pause";
import { statusAttributes } from "../search-attributes";

/** Memo entry of a blocked run: lists show the missing part without asking a worker. */
const BLOCKED_MEMO = "blocked";

/** Shows people a run whose calls find no suitable worker: in its status, its page and lists. */
export class BlockedStatus {
  readonly calls: BlockedCalls;
  /** The run was blocked once, so NavigatorStatus is set. */
  shown = false;
  private reported: string | undefined;
  private show: () => void = () => this.showBeforeStart();
  private openReviews: () => number = () => 0;

  constructor(
    private readonly inbox: ShownInbox,
    private readonly pause: RunPause,
  ) {
    this.calls = new BlockedCalls(
      () => this.report(),
      () => Date.now() - pause.total_ms(),
    );
    pause.follow(
      () => this.status(this.calls.first),
      () => this.showBeforeStart(),
    );
  }

  get first(): AgentRunStatus["blocked"] {
    const missing = this.calls.first;
    if (missing === undefined) return undefined;
    const { kind, name, text, help } = missing;
    return { kind, name, text, help };
  }

  /** From now on the run itself shows its page. */
  follow(show: () => void, openReviews: () => number): void {
    this.show = show;
    this.openReviews = openReviews;
  }

  /** The specs of tools by name, from the first worker that has them. */
  async describedTools(names: string[]): Promise<Result<ToolSpec[]>> {
    try {
      return await this.calls.served({
        call: () => describeCalls().describeTools(names),
        untilServed: (limit) => unlessItFails(() => untilServedCalls("look up tools", limit).describeTools(names)),
      });
    } catch (error) {
      if (error instanceof NotConfigured) return notConfigured(error);
      throw error;
    }
  }

  /** Each change is an event, so there is none while the same thing is missing. */
  private report(): void {
    const missing = this.calls.first;
    if (missing?.text === this.reported) return this.show();
    this.reported = missing?.text;
    this.shown = true;
    const since = this.inbox.blockedSince ?? Date.now();
    const { attributes, memo } = this.inbox.change({ blockedSince: missing === undefined ? null : since });
    upsertSearchAttributes([...statusAttributes(this.pause.shownAs(this.status(missing))), ...attributes]);
    const lacks = missing === undefined ? null : { ...missingDetails(missing), since };
    upsertMemo({ [BLOCKED_MEMO]: lacks, ...memo });
    this.show();
  }

  private status(missing: Missing | undefined): string {
    if (missing !== undefined) return "BLOCKED";
    return this.openReviews() > 0 ? "WAITING" : "RUNNING";
  }

  /** The run has not begun: it does not know its tools yet. */
  private showBeforeStart(): void {
    const blocked = this.first;
    setHandler(
      messages.statusQuery,
      (): AgentRunStatus => ({
        ...(this.first === undefined ? { state: "running" } : { state: "blocked", blocked: this.first }),
        ...(this.pause.on === undefined ? {} : { state: "paused", paused: this.pause.on }),
        open_reviews: 0,
        turn: 0,
        invocation: 1,
        refused_signals: 0,
      }),
    );
    const { on } = this.pause;
    if (on !== undefined) return setCurrentDetails(`**paused** ${textInMarkdown(pausedText(on))}`);
    setCurrentDetails(
      blocked === undefined ? "" : `**blocked: ${textInMarkdown(blocked.text)}**\n\n${textInMarkdown(blocked.help)}`,
    );
  }
}
