import { setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow";
import type { Definition } from "../../core/graph/definition/schema";
import { renderTaskDetails } from "../../core/graph/show/diagram";
import type { Task } from "../../core/graph/task/task";
import type { TaskBook } from "../../core/graph/task/task-book";
import type { Review } from "../../core/review/review";
import { positionAttributes, syncAttributes } from "../search-attributes";
import type { TaskReviews } from "./reviews";

/** What lists and pages show of a task. */
export class Face {
  private shown: string;
  /** What the details were made of: values that are replaced, never changed. */
  private detailed: readonly (Definition | Task | Review | string | undefined)[] = [];

  /**
   * Made before anything is heard: after its worker was lost, an update may reach the task before its run has begun,
   * and must find it as it would have a moment later.
   *
   * @param known the start options have told lists where the task is; a run that continues another one tells them anew
   */
  constructor(
    private readonly book: TaskBook,
    private readonly reviews: TaskReviews,
    known: boolean,
  ) {
    if (!known) this.upsert();
    this.shown = this.position();
  }

  /** Each upsert is an event: none where nothing has changed. `notes`: what else people should know. */
  show(definition: Definition | undefined, notes: readonly string[]): void {
    const position = this.position();
    if (position !== this.shown) this.upsert();
    this.shown = position;
    const { task } = this.book;
    const { open } = this.reviews;
    const made = [definition, task, ...open, ...notes];
    // Most of what looks here has changed nothing, and drawing the way is the dearest part of a move.
    if (made.length === this.detailed.length && made.every((one, i) => one === this.detailed[i])) return;
    this.detailed = made;
    const details = definition
      ? renderTaskDetails(definition, task, open)
      : `Workflow "${task.workflowType}" is not loaded.`;
    setCurrentDetails([details, ...notes].join("\n\n"));
  }

  private position(): string {
    const { task, syncs, tracked } = this.book;
    const place = `${this.status()} ${task.currentStep} ${this.reviews.open.length}`;
    return tracked ? `${place} ${syncs.length} ${syncs.at(-1)?.id ?? ""}` : place;
  }

  private upsert(): void {
    const { task, syncs, tracked } = this.book;
    upsertSearchAttributes([
      ...positionAttributes({ status: this.status(), currentStep: task.currentStep }, this.reviews.open.length),
      ...(tracked ? syncAttributes(syncs.map(({ id }) => id)) : []),
    ]);
  }

  private status() {
    return this.book.removed ? "REMOVED" : this.book.task.status;
  }
}
