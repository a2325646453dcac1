import type { StreamResponse } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import type { ConversationItem } from "../../core/history/stream/conversation";
import { textPart } from "./parts";
import { answerArtifact, artifactsOf, type TaskReading } from "./read-task";
import type { TaskRef } from "./task-id";
import type { TaskView } from "./task-view";

/** What a reader of a task is told after the task itself: its states, and what it says. */
export class TaskEvents {
  private told: string;
  private isNew = true;

  constructor(
    private readonly ref: TaskRef,
    private readonly read: Pick<TaskReading, "view" | "isText">,
  ) {
    this.told = keyOf(read.view);
  }

  *take(items: readonly ConversationItem[], view: TaskView): Generator<StreamResponse> {
    if (this.read.isText) for (const item of items) yield* this.said(item);
    // What the reader was told with the task is older, or the same.
    const isNew = view.since >= this.read.view.since && keyOf(view) !== this.told;
    if (!isNew) return;
    this.told = keyOf(view);
    if (view.state === TaskState.TASK_STATE_COMPLETED) yield* this.answer(view);
    const { id: taskId, contextId } = this.ref;
    yield {
      payload: { $case: "statusUpdate", value: { taskId, contextId, status: view.status, metadata: undefined } },
    };
  }

  /** A text agent is heard while it speaks. A new message, and a new attempt, take the place of what was said before. */
  private *said(item: ConversationItem): Generator<StreamResponse> {
    if (item.type === "message" || item.type === "retried") this.isNew = true;
    if (item.type !== "text" || item.text === "") return;
    yield this.artifact([textPart(item.text)], { append: !this.isNew, lastChunk: false });
    this.isNew = false;
  }

  private *answer(view: TaskView): Generator<StreamResponse> {
    const [artifact] = artifactsOf({ view });
    if (artifact !== undefined) yield this.artifact(artifact.parts, { append: false, lastChunk: true });
  }

  private artifact(
    parts: Parameters<typeof answerArtifact>[0],
    how: { append: boolean; lastChunk: boolean },
  ): StreamResponse {
    const { id: taskId, contextId } = this.ref;
    const value = { taskId, contextId, artifact: answerArtifact(parts), ...how, metadata: undefined };
    return { payload: { $case: "artifactUpdate", value } };
  }
}

const keyOf = ({ state, since }: TaskView): string => `${state} ${since}`;
