import type { Child } from "../../core/graph/task/fork";
import type { TaskBook } from "../../core/graph/task/task-book";
import { reportTo } from "./children";

/** Tells the task that waits for this one how it stands, each time that it is another. */
export class Reporter {
  /** Something is still to be told. */
  busy = false;
  private said = "";
  private outbox: Child | null = null;

  constructor(private readonly book: TaskBook) {}

  report(): void {
    const { parentTaskId } = this.book.task;
    if (parentTaskId === undefined || this.book.removed) return;
    const report = this.book.report();
    const saying = `${report.state} ${report.verdict}`;
    if (saying === this.said) return;
    this.said = saying;
    this.outbox = report;
    if (!this.busy) void this.send(parentTaskId);
  }

  /** One signal at a time: two that are sent together may arrive the other way round. */
  private async send(parentTaskId: string): Promise<void> {
    this.busy = true;
    for (let report = this.outbox; report !== null; report = this.outbox) {
      this.outbox = null;
      await reportTo(parentTaskId, report);
    }
    this.busy = false;
  }
}
