import { setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow";
import { renderTaskDetails } from "../../core/graph/show/diagram";
import type { VisibleTask } from "../../core/graph/task/machine/actions";
import { withRecentMoves } from "../../core/graph/task/recent-moves";
import { positionAttributes, syncAttributes } from "../search-attributes";

/** Moves that the page of a task draws: each move draws it anew. */
const MAX_DRAWN = 200;

/** The visible state of a task: its search attributes, and its page in the Temporal Web UI. */
export class ShownTask {
  private shown: string;
  /** The inputs of the details: values that are replaced, never changed. */
  private detailed: readonly unknown[] = [];

  /** @param known the start options have told lists where the task is; a run that continues another one tells them anew */
  constructor(view: VisibleTask, known: boolean) {
    if (!known) upsert(view);
    this.shown = positionOf(view);
  }

  /**
   * Each upsert is an event, so there is none without a change.
   *
   * @param effects the lines of the effects; "" without effects
   */
  show(view: VisibleTask, effects: string): void {
    const position = positionOf(view);
    if (position !== this.shown) upsert(view);
    this.shown = position;
    const { definition, task, openReviews, notes } = view;
    const made = [definition, task, ...openReviews, ...notes, effects];
    // Most calls have changed nothing, and drawing the path is the most expensive part of a move.
    if (made.length === this.detailed.length && made.every((one, i) => one === this.detailed[i])) return;
    this.detailed = made;
    const details = definition
      ? renderTaskDetails(definition, withRecentMoves(task, MAX_DRAWN), openReviews)
      : `Workflow "${task.workflowType}" is not loaded.`;
    setCurrentDetails([details, ...(effects === "" ? [] : [effects]), ...notes].join("\n\n"));
  }
}

function positionOf(view: VisibleTask): string {
  const { task, syncs, tracked, openReviews } = view;
  const place = `${statusOf(view)} ${task.currentStep} ${openReviews.length}`;
  return tracked ? `${place} ${syncs.length} ${syncs.at(-1)?.id ?? ""}` : place;
}

function upsert(view: VisibleTask): void {
  const { task, syncs, tracked, openReviews } = view;
  upsertSearchAttributes([
    ...positionAttributes({ status: statusOf(view), currentStep: task.currentStep }, openReviews.length),
    ...(tracked ? syncAttributes(syncs.map(({ id }) => id)) : []),
  ]);
}

const statusOf = ({ removed, task }: VisibleTask) => (removed ? "REMOVED" : task.status);
