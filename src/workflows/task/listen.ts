import { setHandler } from "@temporalio/workflow";
import { failed, type Result } from "../../core/base/failure";
import { taskProgress } from "../../core/graph/show/progress";
import { parseAdvance } from "../../core/graph/task/advance-input";
import { claimRefusal } from "../../core/graph/task/claim";
import { parseClaim } from "../../core/graph/task/claim-input";
import { asApplicationFailure, valueOrReject } from "../failures";
import * as messages from "../messages";
import type { TaskAnswer } from "../navigator-task-input";
import { listenForDecisions } from "../reviews";
import type { Walk } from "./task-machine";

/**
 * What can be said to a task and asked of it. Every update has a validator: what is refused leaves nothing behind, not
 * even an event.
 */
export function listen(walk: Walk): void {
  const { book } = walk;
  const answer = (): TaskAnswer => ({
    task: walk.task,
    syncs: book.syncs.map(({ id }) => id),
    order: walk.input.order ?? null,
  });

  setHandler(messages.taskQuery, () => walk.task);
  setHandler(messages.definitionQuery, () => walk.definition ?? null);
  setHandler(messages.syncsQuery, () => [...book.syncs]);
  setHandler(messages.taskProgressQuery, () => (walk.definition ? taskProgress(walk.definition, walk.task) : null));
  setHandler(messages.taskViewQuery, () => ({
    ...answer(),
    claim: book.claim,
    version: walk.input.version ?? null,
    hasDefinition: walk.definition !== undefined,
    removed: book.removed,
  }));

  setHandler(
    messages.advance,
    async (step) => {
      const answered = walk.move(valueOrReject(parseAdvance(step)));
      if (!answered.success) return answered;
      await walk.untilSettled();
      // Where it went to other tasks first, the answer shows whom it waits for.
      const { task } = walk.task.history.length === answered.task.history.length ? walk : answered;
      const { syncs, order } = answer();
      return { ...answered, task, ...(book.tracked ? { syncs, order } : {}) };
    },
    {
      validator: (step) => {
        valueOrReject(inTree(walk));
        if (walk.agents.running !== null)
          throw asApplicationFailure({
            reason: "child_active",
            message: `${walk.task.id} is at "${walk.task.currentStep}", where ${walk.agents.running} runs: its outcome will advance the task.`,
          });
        valueOrReject(walk.advanced(valueOrReject(parseAdvance(step))));
      },
    },
  );

  listenForDecisions(walk.reviews, () => {
    walk.refusedSignals += 1;
    walk.changed();
  });
  setHandler(messages.childReport, (report) => walk.note(report));

  setHandler(
    messages.claim,
    (raw) => {
      const claim = valueOrReject(book.claimable(valueOrReject(parseClaim(raw)), Date.now()));
      book.hold(claim);
      walk.changed();
      const { task, order } = answer();
      return { task, token: claim.token, expiresAt: claim.expiresAt, order };
    },
    {
      validator: (raw) => {
        valueOrReject(inTree(walk));
        valueOrReject(onlyFree(walk));
        valueOrReject(book.claimable(valueOrReject(parseClaim(raw)), Date.now()));
      },
    },
  );
  setHandler(
    messages.release,
    () => {
      book.release();
      walk.changed();
      return answer();
    },
    { validator: (token) => checkClaim(walk, token) },
  );
  setHandler(
    messages.pause,
    () => {
      walk.turn(() => book.pause(Date.now()));
      return answer();
    },
    { validator: (_options) => void valueOrReject(open(walk)) },
  );
  setHandler(
    messages.resume,
    () => {
      walk.resume();
      return answer();
    },
    {
      validator: () => {
        if (walk.task.status !== "PAUSED")
          throw asApplicationFailure({
            reason: "task_not_paused",
            message: `Task "${walk.task.id}" is not paused: it is ${walk.task.status} at "${walk.task.currentStep}".`,
          });
      },
    },
  );
  setHandler(
    messages.cancelTask,
    ({ note }) => {
      walk.cancel(note);
      return answer();
    },
    { validator: (_options) => void valueOrReject(open(walk)) },
  );
  setHandler(messages.cancelTaskSignal, (raw) => {
    if (open(walk).ok) walk.cancel(typeof raw?.note === "string" ? raw.note : undefined);
  });

  setHandler(messages.confirmSyncs, (ids) => {
    let confirmed: string[] = [];
    walk.turn(() => {
      confirmed = book.confirm(ids);
    });
    return { confirmed, syncs: answer().syncs };
  });
  setHandler(
    messages.reload,
    (next) => {
      walk.reload(next);
      return answer();
    },
    {
      validator: (next) => {
        if (next?.task?.id !== walk.task.id)
          throw asApplicationFailure({ reason: "invalid_task", message: `That is not task "${walk.task.id}".` });
      },
    },
  );
  setHandler(messages.remove, () => {
    walk.removeFromTree();
    return answer();
  });
  setHandler(messages.adoptDefinition, ({ definition, version }) => {
    walk.turn(() => {
      walk.input = { ...walk.input, definition, version };
    });
    return answer();
  });
}

/** One that was taken out of the tree is there for its unconfirmed records alone. */
function inTree({ book, task }: Walk): Result<null> {
  return book.removed
    ? failed("task_not_found", `There is no task "${task.id}": it was taken out of the tree.`, { taskId: task.id })
    : { ok: true, value: null };
}

function open(walk: Walk): Result<null> {
  const there = inTree(walk);
  if (!there.ok) return there;
  const { id, status, currentStep } = walk.task;
  return walk.book.closed
    ? failed("task_closed", `Task "${id}" ended at "${currentStep}" (${status}).`, { status, currentStep })
    : { ok: true, value: null };
}

function onlyFree(walk: Walk): Result<null> {
  return walk.agents.running === null
    ? { ok: true, value: null }
    : failed("child_active", `${walk.agents.running} works on task "${walk.task.id}".`);
}

function checkClaim(walk: Walk, token: number): void {
  if (typeof token !== "number")
    throw asApplicationFailure({ reason: "invalid_arguments", message: "A claim is given back by its token." });
  const refusal = claimRefusal(walk.task.id, walk.book.claim, token, Date.now());
  if (refusal) valueOrReject(refusal);
}
