import { upsertMemo, upsertSearchAttributes } from "@temporalio/workflow";
import { renderTaskDetails } from "../../core/graph/show/diagram";
import type { VisibleTask } from "../../core/graph/task/machine/actions";
import { withRecentMoves } from "../../core/graph/task/recent-moves";
import { type InboxChanges, NO_CHANGES, ShownInbox } from "../inbox/shown-inbox";
import { setDetailsWhenAsked } from "../sdk/details-when-asked";
import { positionAttributes, syncAttributes } from "../search-attributes";

/** Moves that the page of a task draws: each move draws it anew. */
const MAX_DRAWN = 200;

/** The visible state of a task: its search attributes, and its page in the Temporal Web UI. */
export class ShownTask {
  private shown: string;
  /** The inputs of the details: values that are replaced, never changed. */
  private detailed: readonly unknown[] = [];

  private readonly inbox: ShownInbox | null;

  /**
   * @param known the start options have told lists where the task is; a run that continues another one tells them anew
   * @param format the inbox of tasks before format 9 asks the task itself
   */
  constructor(view: VisibleTask, known: boolean, format: number) {
    if (!known) upsert(view);
    this.shown = positionOf(view);
    this.inbox = format < 9 ? null : new ShownInbox({ reviews: view.openReviews });
  }

  /**
   * Each upsert is an event, so there is none without a change.
   *
   * @param effects the lines of the effects; "" without effects
   * @param head where the task's chain ends: shown with what has changed
   * @param used a part of the memo: written with what has changed
   */
  show(view: VisibleTask, effects: string, head: InboxChanges["attributes"], used: { [field: string]: unknown }): void {
    const position = positionOf(view);
    const { attributes, memo } = this.inbox?.change({ reviews: view.openReviews }) ?? NO_CHANGES;
    if (position !== this.shown || attributes.length > 0) upsert(view, [...attributes, ...head]);
    if (Object.keys(memo).length > 0) upsertMemo({ ...memo, ...used });
    this.shown = position;
    const { definition, task, openReviews, notes } = view;
    const made = [definition, task, ...openReviews, ...notes, effects];
    if (made.length === this.detailed.length && made.every((one, i) => one === this.detailed[i])) return;
    this.detailed = made;
    // Moves are many and looks are few, and drawing the path is the most expensive part of a move.
    setDetailsWhenAsked(() => {
      const details = definition
        ? renderTaskDetails(definition, withRecentMoves(task, MAX_DRAWN), openReviews)
        : `Workflow "${task.workflowType}" is not loaded.`;
      return [details, ...(effects === "" ? [] : [effects]), ...notes].join("\n\n");
    });
  }
}

function positionOf(view: VisibleTask): string {
  const { task, syncs, tracked, openReviews } = view;
  const place = `${statusOf(view)} ${task.currentStep} ${openReviews.length}`;
  return tracked ? `${place} ${syncs.length} ${syncs.at(-1)?.id ?? ""}` : place;
}

function upsert(view: VisibleTask, more: InboxChanges["attributes"] = []): void {
  const { task, syncs, tracked, openReviews } = view;
  upsertSearchAttributes([
    ...positionAttributes({ status: statusOf(view), currentStep: task.currentStep }, openReviews.length),
    ...(tracked ? syncAttributes(syncs.map(({ id }) => id)) : []),
    ...more,
  ]);
}

const statusOf = ({ removed, task }: VisibleTask) => (removed ? "REMOVED" : task.status);
