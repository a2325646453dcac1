import { upsertMemo } from "@temporalio/workflow";
import { renderTaskDetails } from "../../core/graph/show/diagram";
import type { VisibleTask } from "../../core/graph/task/machine/actions";
import { withRecentMoves } from "../../core/graph/task/recent-moves";
import { type InboxChanges, ShownInbox } from "../inbox/shown-inbox";
import { setDetailsWhenAsked } from "../sdk/details-when-asked";
import { ListedPosition } from "./listed-position";

/** Moves that the page of a task draws: each move draws it anew. */
const MAX_DRAWN = 200;

/** The visible state of a task: its search attributes, and its page in the Temporal Web UI. */
export class ShownTask {
  private readonly listed: ListedPosition;
  /** The inputs of the details: values that are replaced, never changed. */
  private detailed: readonly unknown[] = [];

  private readonly inbox: ShownInbox;

  /**
   * @param known the start options have published the position
   * @param head where the task's chain ends
   */
  constructor(view: VisibleTask, known: boolean, head: () => InboxChanges["attributes"]) {
    this.listed = new ListedPosition(view, known, head);
    this.inbox = new ShownInbox({ reviews: view.openReviews });
  }

  /** Publishes the changes that lists do not show yet: the run ends. */
  settle(): void {
    this.listed.settle();
  }

  /**
   * @param effects the lines of the effects; "" without effects
   * @param used a part of the memo: written with what has changed
   * @param sentAt when the message was sent that has changed the task, ms since 1970
   */
  show(view: VisibleTask, effects: string, used: { [field: string]: unknown }, sentAt?: number): void {
    const { attributes, memo } = this.inbox.change({ reviews: view.openReviews });
    this.listed.show(view, attributes, sentAt);
    if (Object.keys(memo).length > 0) upsertMemo({ ...memo, ...used });
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
