import {
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  TaskState,
} from "@a2a-js/sdk";
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { cancelRun } from "../../client/run-control";
import { agentWorkflowId } from "../../core/base/ids";
import { isAbsent } from "../../core/base/navigator-error";
import type { ConversationItem } from "../../core/history/stream/conversation";
import { type ConversationSources, followConversation } from "../events/conversation-feed";
import { actorOf } from "../requests/callers";
import type { EndpointCall } from "../routes/endpoint";
import { agentCard, type CardAddress, extendedCard } from "./agent-card";
import { answerTask } from "./answer-task";
import { invalidAt, malformed, malformedField, messageIdInUse, noTask, withA2aErrors } from "./errors";
import { listA2aTasks } from "./list-tasks";
import { type ClientMessage, readClientMessage } from "./message-input";
import { textPart } from "./parts";
import { answerArtifact, artifactsOf, messageKey, readA2aTask, type TaskReading, taskOf, wordsHash } from "./read-task";
import { startMissionOf } from "./start-task";
import { maySee, readTaskId, type TaskRef, taskOfMessage } from "./task-id";
import { TaskView, TERMINAL } from "./task-view";

/** A message that was sent: its task, and what it has settled of what the task asked. */
interface Sent {
  ref: TaskRef;
  settled: ReadonlySet<string>;
}

/**
 * One request of A2A, in either binding (web reference, section 14). A task is a mission: nothing is kept here, and another server
 * answers the next request as well.
 */
export class MissionRequestHandler implements A2ARequestHandler {
  constructor(
    private readonly call: EndpointCall,
    private readonly sources: ConversationSources,
    private readonly origin: string,
    /** Fires when the client has gone, or takes nothing any more. */
    private readonly gone: AbortSignal,
  ) {}

  getAgentCard = async (): Promise<AgentCard> => agentCard(this.call.web, this.cardPlace(""));

  getAuthenticatedExtendedAgentCard = ({ tenant }: { tenant: string }): Promise<AgentCard> =>
    this.withA2aErrors(async () => extendedCard(this.call.web, this.cardPlace(tenant)));

  sendMessage = (params: SendMessageRequest): Promise<Task> =>
    this.withA2aErrors(async () => {
      const { ref, settled } = await this.send(params);
      const { historyLength, returnImmediately = false } = params.configuration ?? {};
      checkLength(historyLength);
      if (!returnImmediately) await this.until(ref, (view) => view.waits(settled));
      return this.task(ref, historyLength);
    });

  async *sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { ref, settled } = await this.withA2aErrors(() => this.send(params));
    yield* this.stream(ref, params.configuration?.historyLength, (view) => view.waits(settled));
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const ref = this.ref(id);
    const { view } = await this.withA2aErrors(() => this.read(ref));
    if (TERMINAL.includes(view.state)) throw unsupported(`The task "${id}" has ended: there is nothing to follow.`);
    yield* this.stream(ref, undefined, () => false);
  }

  getTask = ({ id, historyLength }: GetTaskRequest): Promise<Task> =>
    this.withA2aErrors(() => {
      checkLength(historyLength);
      return this.task(this.ref(id), historyLength);
    });

  listTasks = (params: ListTasksRequest): Promise<ListTasksResponse> =>
    this.withA2aErrors(() => listA2aTasks(this.call, params));

  cancelTask = ({ id }: CancelTaskRequest): Promise<Task> =>
    this.withA2aErrors(async () => {
      const { client } = this.call;
      const ref = this.ref(id);
      const by = actorOf(this.call);
      const { view } = await this.read(ref);
      if (TERMINAL.includes(view.state))
        throw new TaskNotCancelableError({
          message: `The task "${id}" has ended.`,
          metadata: { code: "already_over", kind: "run", path: id },
        });
      await cancelRun(client.agent(ref.id).workflow, { by, note: "by A2A" });
      await this.until(ref, () => false, AbortSignal.any([this.gone, AbortSignal.timeout(CANCEL_MS)]));
      return this.task(ref, undefined);
    });

  createTaskPushNotificationConfig = () => noPush();
  getTaskPushNotificationConfig = () => noPush();
  listTaskPushNotificationConfigs = () => noPush();
  deleteTaskPushNotificationConfig = () => noPush();

  private withA2aErrors<T>(work: () => Promise<T>): Promise<T> {
    return withA2aErrors(this.call.web.log, work);
  }

  private cardPlace(tenant: string): CardAddress {
    return { origin: this.origin, skill: tenant === "" ? undefined : tenant };
  }

  /** A task that the caller may see. @throws A2AError if there is none */
  private ref(id: string): TaskRef {
    if (id.trim() === "") throw malformed("id", "The id of a task is missing.");
    const ref = readTaskId(id);
    if (ref === null || !maySee(this.call.caller, ref)) throw noTask(id);
    return ref;
  }

  /** Starts a task, or answers what a task asks. */
  private async send(params: SendMessageRequest): Promise<Sent> {
    const received = readClientMessage(params);
    if (params.configuration?.taskPushNotificationConfig !== undefined) await noPush();
    if (received.taskId !== "") return this.sendTo(this.ref(received.taskId), received);
    const ref = taskOfMessage(this.call.caller, received.messageId, received.contextId);
    await startMissionOf(this.call, ref, received);
    return { ref, settled: new Set() };
  }

  private async sendTo(ref: TaskRef, received: ClientMessage): Promise<Sent> {
    if (received.contextId !== "" && received.contextId !== ref.contextId)
      throw malformed("contextId", `The task is of the context "${ref.contextId}", not "${received.contextId}".`);
    const { view, answered } = await this.read(ref);
    const words = answered.get(messageKey(this.call.caller, received));
    if (words !== undefined && words !== wordsHash(received))
      throw messageIdInUse(received.messageId, ref.id, ["message.parts"]);
    // It was sent once more: the first one counts.
    if (words !== undefined) return { ref, settled: new Set() };
    if (TERMINAL.includes(view.state))
      throw unsupported(`The task "${ref.id}" has ended. Send a message with its contextId alone to begin another.`);
    if (view.open.length === 0) throw unsupported(`The task "${ref.id}" is at work and asks nothing now.`);
    return { ref, settled: await answerTask(this.call, view, received) };
  }

  private async read(ref: TaskRef): Promise<TaskReading> {
    try {
      return await readA2aTask(this.call.client, ref);
    } catch (error) {
      throw isAbsent(error) ? noTask(ref.id) : error;
    }
  }

  private task = async (ref: TaskRef, historyLength: number | undefined): Promise<Task> =>
    taskOf(ref, await this.read(ref), historyLength);

  /** The mission does not notice whether anybody follows it. */
  private async *follow(ref: TaskRef, since: number, signal: AbortSignal) {
    const { client } = this.call;
    const workflowId = agentWorkflowId(ref.id, client.project);
    const view = new TaskView(ref, workflowId, since);
    const place = { namespace: client.temporal.options.namespace, workflowId };
    for await (const { items, facts } of followConversation(this.sources, place, signal)) {
      for (const { workflow_id, fact, at } of facts) view.take(workflow_id, fact, at);
      yield { items, view };
    }
  }

  /** Waits until the task has ended, or this is enough. */
  private async until(ref: TaskRef, isEnough: (view: TaskView) => boolean, signal = this.gone): Promise<void> {
    for await (const { view } of this.follow(ref, 0, signal))
      if (TERMINAL.includes(view.state) || isEnough(view)) return;
  }

  /** The task as it is, then what becomes of it. */
  private async *stream(
    ref: TaskRef,
    historyLength: number | undefined,
    isEnough: (view: TaskView) => boolean,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const read = await this.withA2aErrors(async () => {
      checkLength(historyLength);
      return this.read(ref);
    });
    const { view: began } = read;
    yield { payload: { $case: "task", value: taskOf(ref, read, historyLength) } };
    if (TERMINAL.includes(began.state) || isEnough(began)) return;
    const events = new TaskEvents(ref, read);
    const news = this.follow(ref, began.since, this.gone);
    try {
      for (;;) {
        const next = await this.withA2aErrors(() => news.next());
        if (next.done) return;
        const { items, view } = next.value;
        yield* events.take(items, view);
        if (TERMINAL.includes(view.state) || isEnough(view)) return;
      }
    } finally {
      // Also when the reader leaves in the middle: nobody follows the mission for it any more.
      await news.return(undefined);
    }
  }
}

/** How long it is waited for the end of a task that is asked to stop. It may need longer: it finishes what it has begun. */
const CANCEL_MS = 10_000;

function checkLength(historyLength: number | undefined): void {
  if (historyLength !== undefined && !(historyLength >= 0)) throw malformedField("historyLength", "must be 0 or more");
}

const unsupported = (message: string) => new UnsupportedOperationError({ message, metadata: invalidAt("id") });

const noPush = (): Promise<never> =>
  Promise.reject(
    new PushNotificationNotSupportedError({
      message:
        "Navigator sends no push notifications of A2A. Subscribe to the task, or name a webhook in navigator.config.",
      metadata: { code: "not_supported" },
    }),
  );

/** The events that a reader receives after the task itself: its states, and its text. */
class TaskEvents {
  private lastKey: string;
  private isNew = true;

  constructor(
    private readonly ref: TaskRef,
    private readonly read: Pick<TaskReading, "view" | "isText">,
  ) {
    this.lastKey = keyOf(read.view);
  }

  *take(items: readonly ConversationItem[], view: TaskView): Generator<StreamResponse> {
    if (this.read.isText) for (const item of items) yield* this.textOf(item);
    // The reader received this state, or a later one, with the task.
    const isNew = view.since >= this.read.view.since && keyOf(view) !== this.lastKey;
    if (!isNew) return;
    this.lastKey = keyOf(view);
    if (view.state === TaskState.TASK_STATE_COMPLETED) yield* this.answer(view);
    const { id: taskId, contextId } = this.ref;
    yield {
      payload: { $case: "statusUpdate", value: { taskId, contextId, status: view.status, metadata: undefined } },
    };
  }

  /** Sends the text of an agent as it comes. A new message, and a new attempt, replace the text before. */
  private *textOf(item: ConversationItem): Generator<StreamResponse> {
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
