import { CancellationScope, sleep, upsertSearchAttributes } from "@temporalio/workflow";
import { LISTS_TIMER } from "../../core/base/search-attributes";
import type { VisibleTask } from "../../core/graph/task/machine/actions";
import type { InboxChanges } from "../inbox/shown-inbox";
import { positionAttributes, syncAttributes } from "../search-attributes";

type Attributes = InboxChanges["attributes"];

/** The shortest time between two updates of lists for a task that moves faster. */
const REPORT_EVERY_MS = 1_000;

/**
 * What lists know of a task: its search attributes. An upsert is an event and a write of the whole row in Visibility,
 * which costs as much as half a move. So there is none without a change, and moves that follow each other within a
 * second share one. Changes that somebody may wait for are published at once: the status, open reviews and the end
 * (docs/decisions/0055).
 *
 * The speed of moves is read from their messages, and not from the workflow's clock: right after a local activity the
 * clock may differ on a replay.
 */
export class ListedPosition {
  /** The last position, published or due. */
  private seen: string;
  private published: Urgent;
  /** When the message was sent whose change lists show, ms since 1970; undefined: another change came after it. */
  private reportedAt: number | undefined;
  private owed: VisibleTask | null = null;
  private isTimed = false;

  /**
   * @param known the start options have published the position; a run that continues another one publishes it again
   * @param head where the task's chain ends: shown with each change
   */
  constructor(
    view: VisibleTask,
    known: boolean,
    private readonly head: () => Attributes,
  ) {
    this.seen = positionOf(view);
    this.published = urgentOf(view);
    if (!known) upsert(view, []);
  }

  /**
   * @param more further attributes that have changed
   * @param sentAt when the message was sent that has changed the task, ms since 1970; undefined: no message, or one
   * without a time
   */
  show(view: VisibleTask, more: Attributes, sentAt: number | undefined): void {
    const position = positionOf(view);
    if (position === this.seen && more.length === 0) return;
    this.seen = position;
    const due = more.length > 0 ? undefined : this.due(view, sentAt);
    if (due === undefined) return this.publish(view, more, sentAt);
    this.owed = view;
    if (!this.isTimed) this.publishAt(due, Math.ceil(due - (sentAt ?? due)));
  }

  /** Publishes the due position now: the run ends, and its timer with it. */
  settle(): void {
    if (this.owed !== null) this.publish(this.owed, [], undefined);
  }

  /** When lists receive a move that may wait, by the clock of its sender. */
  private due(view: VisibleTask, sentAt: number | undefined): number | undefined {
    const { reportedAt } = this;
    if (sentAt === undefined || reportedAt === undefined) return undefined;
    const { status, reviews } = urgentOf(view);
    if (status !== this.published.status || reviews !== this.published.reviews) return undefined;
    // Clocks of senders may differ: a message from before counts as one that is far away.
    return sentAt < reportedAt || sentAt >= reportedAt + REPORT_EVERY_MS ? undefined : reportedAt + REPORT_EVERY_MS;
  }

  private publishAt(due: number, inMs: number): void {
    this.isTimed = true;
    const timer = CancellationScope.nonCancellable(() => sleep(inMs, { summary: LISTS_TIMER }));
    void timer.then(() => {
      this.isTimed = false;
      if (this.owed !== null) this.publish(this.owed, [], due);
    });
  }

  private publish(view: VisibleTask, more: Attributes, at: number | undefined): void {
    upsert(view, [...more, ...this.head()]);
    this.owed = null;
    this.published = urgentOf(view);
    this.reportedAt = at;
  }
}

/** The fields that lists receive at once. */
interface Urgent {
  status: string;
  reviews: number;
}

const urgentOf = (view: VisibleTask): Urgent => ({ status: statusOf(view), reviews: view.openReviews.length });

function positionOf(view: VisibleTask): string {
  const { task, syncs, tracked, openReviews } = view;
  const place = `${statusOf(view)} ${task.currentStep} ${openReviews.length}`;
  return tracked ? `${place} ${syncs.length} ${syncs.at(-1)?.id ?? ""}` : place;
}

function upsert(view: VisibleTask, more: Attributes): void {
  const { task, syncs, tracked, openReviews } = view;
  upsertSearchAttributes([
    ...positionAttributes({ status: statusOf(view), currentStep: task.currentStep }, openReviews.length),
    ...(tracked ? syncAttributes(syncs.map(({ id }) => id)) : []),
    ...more,
  ]);
}

const statusOf = ({ removed, task }: VisibleTask) => (removed ? "REMOVED" : task.status);
