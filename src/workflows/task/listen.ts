import { condition, setHandler } from "@temporalio/workflow";
import { isObject } from "../../core/base/is-object";
import { taskProgress } from "../../core/graph/show/progress";
import { readChildReport } from "../../core/graph/task/child-report";
import type { Claim } from "../../core/graph/task/claim";
import type { TaskMachine } from "../../core/graph/task/machine/task-machine";
import type { TaskMessages } from "../../core/graph/task/machine/task-messages";
import type { TaskState } from "../../core/graph/task/machine/task-state";
import { withRecentMoves } from "../../core/graph/task/recent-moves";
import type { Task } from "../../core/graph/task/task";
import { DecisionVerifier } from "../decision-verifier";
import { valueOrReject } from "../failures";
import { listenForEffects } from "../listen-for-effects";
import * as messages from "../messages";
import type { TaskAnswer, TaskViewAnswer } from "../navigator-task-input";
import { listenForDecisions } from "../reviews";

/** The interface of the task's workflow for its messages. */
export interface ListeningTask {
  readonly state: TaskState;
  readonly messages: TaskMessages;
  readonly machine: Pick<TaskMachine, "hasSettled" | "noteChild">;
  settling: number;
  /**
   * Publishes the change that a message has made.
   *
   * @param sentAt when its sender sent it, ms since 1970
   */
  publish(sentAt?: number): void;
  /** A decision has come. */
  receivedDecision(): void;
  /** A signal came that may have changed nothing. */
  receivedSignal(): void;
}

/**
 * Handles the messages of a task. Every update that can be refused has a validator, so a refused update changes
 * nothing, and adds no event.
 */
export function listen(workflow: ListeningTask): void {
  answerQueries(workflow.state);
  const changes: Changes = {
    answer: () => {
      const { task, ...more } = answerOf(workflow.state);
      return { task: inAnswer(task), ...more };
    },
    published: (change, sentAt) => {
      const value = change();
      workflow.publish(sentAt);
      return value;
    },
    refuse: () => {
      changes.published(() => workflow.state.countRefusedSignal());
      workflow.receivedSignal();
    },
  };
  handleAdvance(workflow, changes);
  handleReports(workflow, changes);
  handleClaims(workflow, changes);
  handlePauseAndCancel(workflow, changes);
  handleDefinition(workflow, changes);
}

/** How a message changes the task. */
interface Changes {
  answer(): TaskAnswer;
  /** Makes a change, publishes it, and returns its result. */
  published<T>(change: () => T, sentAt?: number): T;
  /** Counts a signal that contains nothing the task can use. */
  refuse(): void;
}

function handleAdvance(workflow: ListeningTask, { answer, published }: Changes): void {
  const { state, messages: taskMessages } = workflow;
  setHandler(
    messages.advance,
    async (step, sent) => {
      const answered = published(() => valueOrReject(taskMessages.advance(step)), sentAtOf(sent));
      if (!answered.success) return { ...answered, task: inAnswer(answered.task) };
      await untilSettled(workflow);
      // If the task first waits for other tasks, the answer names them.
      const { task } = state.task.history.length === answered.task.history.length ? state : answered;
      const { syncs, order } = answer();
      return { ...answered, task: inAnswer(task), ...(state.book.tracked ? { syncs, order } : {}) };
    },
    { validator: (step, _sent?: unknown) => void valueOrReject(taskMessages.checkAdvance(step)) },
  );
}

/** Handles undone effects, decisions of people, and reports of child tasks. */
function handleReports(workflow: ListeningTask, { published, refuse }: Changes): void {
  const { state, messages: taskMessages } = workflow;
  listenForEffects(() => state.ledger, refuse);
  listenForDecisions(
    {
      all: () => state.reviews.all(),
      onDecision: () => workflow.receivedDecision(),
      decision: (raw) => taskMessages.checkDecision(raw),
      admit: (decision, verification) => taskMessages.admit(decision, verification),
      decide: (decision) => published(() => valueOrReject(taskMessages.decide(decision))),
    },
    new DecisionVerifier(),
    refuse,
  );
  setHandler(messages.childReport, (raw) => {
    const report = readChildReport(raw);
    if (report === undefined) return refuse();
    published(() => workflow.machine.noteChild(report));
    workflow.receivedSignal();
  });
}

function handleClaims({ messages: taskMessages }: ListeningTask, { answer, published }: Changes): void {
  setHandler(
    messages.claim,
    (raw) => {
      const { token, expiresAt } = published(() => valueOrReject(taskMessages.claim(raw)));
      const { task, order } = answer();
      return { task, token, expiresAt, order };
    },
    { validator: (raw) => void valueOrReject(taskMessages.checkClaim(raw)) },
  );
  setHandler(
    messages.release,
    () => {
      published(() => taskMessages.release());
      return answer();
    },
    { validator: (token) => void valueOrReject(taskMessages.checkRelease(token)) },
  );
}

function handlePauseAndCancel(workflow: ListeningTask, { answer, published }: Changes): void {
  const { messages: taskMessages } = workflow;
  setHandler(
    messages.pauseTask,
    () => {
      published(() => taskMessages.pause());
      return answer();
    },
    { validator: (_options) => void valueOrReject(taskMessages.checkOpen()) },
  );
  setHandler(
    messages.resumeTask,
    () => {
      published(() => taskMessages.resume());
      return answer();
    },
    { validator: () => void valueOrReject(taskMessages.checkResume()) },
  );
  setHandler(
    messages.cancelTask,
    (options) => {
      published(() => taskMessages.cancel(noteOf(options)));
      return answer();
    },
    { validator: (_options) => void valueOrReject(taskMessages.checkOpen()) },
  );
  // A signal cannot be refused. A task that is over ignores it.
  setHandler(messages.cancelTaskSignal, (raw) => {
    if (taskMessages.checkOpen().ok) published(() => taskMessages.cancel(noteOf(raw)));
    else workflow.receivedSignal();
  });
}

/** Its records outside, its place in the tree and its definition. */
function handleDefinition({ state, messages: taskMessages }: ListeningTask, { answer, published }: Changes): void {
  setHandler(
    messages.confirmSyncs,
    (ids) => {
      const confirmed = published(() => taskMessages.confirm(ids));
      return { confirmed, syncs: answer().syncs };
    },
    { validator: (ids) => void valueOrReject(taskMessages.checkConfirm(ids)) },
  );
  setHandler(
    messages.reload,
    (next, _by) => {
      published(() => taskMessages.reload(next));
      return answer();
    },
    { validator: (next, by?: unknown) => void valueOrReject(taskMessages.checkReload(next, by)) },
  );
  setHandler(messages.remove, () => {
    published(() => taskMessages.remove());
    return answer();
  });
  setHandler(
    messages.adoptDefinition,
    ({ definition, version }) => {
      published(() => state.adopt(definition, version));
      return answer();
    },
    { validator: (adopted) => void valueOrReject(taskMessages.checkAdopt(adopted)) },
  );
}

/** When a message was sent that may be anything. */
const sentAtOf = (raw: unknown) =>
  isObject(raw) && Number.isFinite(raw.sent_at) ? (raw.sent_at as number) : undefined;

/** The note of a message that may be anything. */
const noteOf = (raw: unknown) => (isObject(raw) && typeof raw.note === "string" ? raw.note : undefined);

function answerQueries(state: TaskState): void {
  const { book } = state;
  setHandler(messages.taskQuery, () => state.task);
  setHandler(messages.definitionQuery, () => state.definition ?? null);
  setHandler(messages.usageQuery, () => ({ used: state.used.total(), budget: null }));
  setHandler(messages.syncsQuery, () => [...book.syncs]);
  setHandler(messages.taskProgressQuery, () => (state.definition ? taskProgress(state.definition, state.task) : null));
  setHandler(messages.taskViewQuery, () => ({
    ...answerOf(state),
    claim: shownClaim(book.claim),
    version: state.setup.version ?? null,
    hasDefinition: state.definition !== undefined,
    removed: book.removed,
  }));
}

/** Anybody may ask for the view of a task, and only the holder may know the token. */
function shownClaim(claim: Claim | null): TaskViewAnswer["claim"] {
  return claim && { owner: claim.owner, expiresAt: claim.expiresAt };
}

/** The answer of every change of a task. */
function answerOf({ task, book, setup }: TaskState): TaskAnswer {
  return { task, syncs: book.syncs.map(({ id }) => id), order: setup.order ?? null };
}

/** An answer is an event, so it has only the last moves: otherwise a move would cost more the more there were. */
const MOVES_IN_ANSWERS = 50;
const inAnswer = (task: Task): Task => withRecentMoves(task, MOVES_IN_ANSWERS);

/** Waits until the current node of the task has started its work. */
async function untilSettled(workflow: ListeningTask): Promise<void> {
  const { state, machine } = workflow;
  const { moves } = state;
  if (machine.hasSettled(moves)) return;
  workflow.settling += 1;
  try {
    await condition(() => machine.hasSettled(moves));
  } finally {
    workflow.settling -= 1;
  }
}
