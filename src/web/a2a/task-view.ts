import { type Message, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import { defined } from "../../core/base/defined";
import { isoTime } from "../../core/base/iso-time";
import type { JsonObject } from "../../core/base/json";
import { textOf } from "../../core/history/stream/answer-text";
import { MissionConversation } from "../../core/history/stream/conversation";
import type { MissionFact, MissionOver } from "../../core/history/stream/mission-facts";
import type { ParkedWait } from "../../core/review/inbox/inbox-entry";
import type { ShortReview } from "../../core/review/inbox/short-review";
import { reviewKind } from "../../core/review/kinds";
import { answerSchemaOf, reviewData } from "../encodings/interrupt";
import { dataPart, messageOf, textPart } from "./parts";
import type { TaskRef } from "./task-id";

/** A question that a mission asks before it continues. */
export type AskedByTask = { id: string; workflow_id: string; since: number } & (
  | { review: ShortReview; parked?: undefined }
  | { parked: ParkedWait; review?: undefined }
);

/** States after which nothing more comes. */
export const TERMINAL: readonly TaskState[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];

/**
 * A mission as a task of A2A (web reference, section 14): its facts in, its state out. The times are those of the history, so that all
 * readers receive the same.
 */
export class TaskView {
  private readonly conversation: MissionConversation;
  private key = "";
  private ended: MissionOver | null = null;
  state: TaskState = TaskState.TASK_STATE_WORKING;
  /** All that was asked, open or not, in order, with the times at which the history has it. */
  readonly questions: AskedByTask[] = [];

  /** @param since when it began; then when it came into its state, ms since 1970 */
  constructor(
    private readonly ref: TaskRef,
    workflowId: string,
    public since: number,
  ) {
    this.conversation = new MissionConversation(workflowId);
  }

  /** How it ended; null: it has not. */
  get end(): MissionOver | null {
    return this.ended;
  }

  /** What is open, the oldest first. */
  get open(): AskedByTask[] {
    const { openReviews, parked } = this.conversation;
    return [...openReviews.map(askedReview), ...parked.map(askedParked)].sort((a, b) => a.since - b.since);
  }

  /** Whether it continues only after an answer to a question that is not settled. */
  waits(settled: ReadonlySet<string> = new Set()): boolean {
    return this.state === TaskState.TASK_STATE_INPUT_REQUIRED && this.open.some(({ id }) => !settled.has(id));
  }

  /** @param at the time of the fact, ms since 1970 */
  take(workflowId: string, fact: MissionFact, at: number): void {
    const known = new Set(this.questions.map(({ id }) => id));
    for (const item of this.conversation.takeFact(workflowId, fact)) if (item.type === "over") this.ended = item.end;
    this.questions.push(...this.open.filter(({ id }) => !known.has(id)).map((asked) => ({ ...asked, since: at })));
    const state = this.stateNow();
    const key = [state, ...(state === TaskState.TASK_STATE_INPUT_REQUIRED ? this.open.map(({ id }) => id) : [])].join();
    if (key === this.key) return;
    // The first fact finds it working since it began.
    if (this.key !== "" || state !== this.state) this.since = at;
    this.key = key;
    this.state = state;
  }

  private stateNow(): TaskState {
    if (this.ended !== null) return STATE_OF_END[this.ended.state];
    const asks = this.conversation.openReviews.length + this.conversation.parked.length > 0;
    return asks && this.conversation.isIdle ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_WORKING;
  }

  get status(): TaskStatus {
    return { state: this.state, timestamp: isoTime(this.since), message: this.statusMessage() };
  }

  private statusMessage(): Message | undefined {
    const place = { taskId: this.ref.id, contextId: this.ref.contextId };
    if (this.state === TaskState.TASK_STATE_INPUT_REQUIRED) {
      const { open } = this;
      const id = open.map((one) => one.id).join();
      return messageOf("agent", { ...place, id }, open.flatMap(partsOfAsked));
    }
    if (this.ended?.state !== "failed") return undefined;
    const { reason, message } = this.ended.fail;
    return messageOf("agent", { ...place, id: `${this.ref.id}~failed` }, [
      textPart(`${reason}: ${message}`),
      dataPart({ code: reason, message }),
    ]);
  }
}

const STATE_OF_END: { readonly [state in MissionOver["state"]]: TaskState } = {
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

const askedReview = ({ workflow_id, review }: { workflow_id: string; review: ShortReview }): AskedByTask => ({
  id: review.id,
  workflow_id,
  since: review.createdAt,
  review,
});

const askedParked = ({ workflow_id, parked }: { workflow_id: string; parked: ParkedWait }): AskedByTask => ({
  // A mission that waits again asks something else.
  id: `parked:${workflow_id}@${parked.since}`,
  workflow_id,
  since: parked.since,
  parked,
});

/** Shows a question, as text and as data: the data describes the answer, and names the people who may give it. */
export function partsOfAsked(asked: AskedByTask): ReturnType<typeof textPart>[] {
  if (asked.parked !== undefined) {
    const { waiting, until } = asked.parked;
    const data = { asks: asked.id, kind: "parked", waiting, answer: PARKED_ANSWER, may_answer: ["anyone"] };
    return [
      textPart(`Waits for a decision in its journal: ${textOf(waiting)}`),
      dataPart({ ...data, ...defined({ expires_at: until === null ? undefined : isoTime(until) }) }),
    ];
  }
  const { review, workflow_id } = asked;
  const { title, body } = review;
  const shown = valueWithoutSecrets(reviewData(review, workflow_id)) as JsonObject;
  return [
    textPart(questionText(title, body)),
    dataPart({ asks: review.id, ...shown, answer: answerTo(review), may_answer: review.assignees ?? ["anyone"] }),
  ];
}

/** Whether the words of a message may be the answer. */
export const isAnsweredInWords = (review: ShortReview): boolean => reviewKind(review).agents === "answer";

/** Whether its answer must have the seal: what its person has seen, and allows. */
export const namesItsSeal = (review: ShortReview): boolean => review.seal !== undefined && !isAnsweredInWords(review);

function answerTo(review: ShortReview): JsonObject {
  const schema = answerSchemaOf(review);
  if (!namesItsSeal(review)) return schema;
  const seal = {
    type: "string",
    const: review.seal as string,
    description: "What was seen: the seal of this question",
  };
  return {
    ...schema,
    properties: { ...(schema.properties as JsonObject), seal },
    required: [...(schema.required as string[]), "seal"],
  };
}

/** The title of a question is its beginning. */
const questionText = (title: string, body: string): string =>
  body === "" ? title : body.startsWith(title.replace(/\.{3}$/, "")) ? body : `${title}\n\n${body}`;

/** What a decision in a journal looks like, as JSON Schema. */
const PARKED_ANSWER: JsonObject = {
  type: "object",
  properties: { id: { type: "string", description: "Journal id" }, value: {}, note: { type: "string" } },
  required: ["id", "value"],
};
