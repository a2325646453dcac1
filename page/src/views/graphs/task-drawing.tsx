import type { DrawnTask } from "../../../../src/client/tasks/drawn-task";
import { projectOf, taskWorkflowId } from "../../../../src/core/base/ids";
import type { WayMove } from "../../../../src/core/graph/show/task-way";
import { get } from "../../api/request";
import { GraphDrawing } from "../../drawing/graph-drawing";
import { standingOfTask } from "../../drawing/graph-standing";
import { Show, useLoaded } from "../../parts/loaded";
import { Time } from "../../parts/text";
import { graphAddress, missionAddress, reviewAddress } from "../../router";
import { ReportResult } from "./report-result";
import { TaskState } from "./task-state";
import "./graphs.css";

const EVERY_MS = 1_000;
const MAX_MOVES = 100;

/**
 * A task on its graph, live: the way that it took, where it is, its branches, and who is asked.
 *
 * @param changes a number that grows when something happened: the drawing is then read at once
 */
export function TaskDrawing({ workflowId, changes = 0 }: { workflowId: string; changes?: number }) {
  const drawn = useLoaded(
    `drawing ${workflowId}`,
    (signal) => get<DrawnTask>(`/api/tasks/${encodeURIComponent(workflowId)}/drawing`, {}, signal),
    { everyMs: EVERY_MS, isOver, changes },
  );
  return (
    <Show of={drawn} what="the graph of the task">
      {(task) => <DrawnOnGraph task={task} moved={drawn.again} />}
    </Show>
  );
}

const isOver = ({ way: { status }, stopped }: DrawnTask): boolean =>
  status === "COMPLETED" || status === "FAILED" || stopped !== undefined;

function DrawnOnGraph({ task, moved }: { task: DrawnTask; moved: () => void }) {
  const { graph, way, children, reviews, claim, stopped } = task;
  return (
    <section aria-label={`Task ${task.task_id} on the graph ${graph.name}`}>
      <div class="graph-facts">
        <p>
          On <a href={graphAddress(graph.id)}>{graph.name}</a>:{" "}
          <TaskState status={way.status} {...(stopped === undefined ? {} : { execution: stopped })} /> at{" "}
          <strong data-testid="current-step">{way.currentStep}</strong>
          {way.waitingUntil !== undefined && (
            <>
              {" "}
              until <Time at={way.waitingUntil} />
            </>
          )}
          {way.endResult !== undefined && `, ${way.endResult}`}
        </p>
        {way.parentTaskId !== undefined && (
          <p>
            A part of{" "}
            <a href={missionAddress(taskWorkflowId(way.parentTaskId, projectOf(task.workflow_id)))}>
              {way.parentTaskId}
            </a>
          </p>
        )}
        {way.blockedBy !== undefined && <p>It cannot continue automatically: {way.blockedBy.replaceAll("_", " ")}.</p>}
        {claim !== undefined && (
          <p>
            Claimed by <strong>{claim.owner}</strong> until <Time at={claim.expiresAt} />
          </p>
        )}
        {reviews.map((review) => (
          <p key={review.id}>
            Waits for a person: <a href={reviewAddress(review.id)}>{review.title}</a>
            {review.step === null ? "" : ` at ${review.step}`}
          </p>
        ))}
      </div>
      <ReportResult task={task} moved={moved} />
      <GraphDrawing
        graph={graph}
        standing={standingOfTask(task)}
        title={`${task.task_id} on ${graph.name}`}
        about={`The task is ${stopped ?? way.status} at ${way.currentStep}, after ${way.earlierMoves + way.moves.length} moves.`}
      />
      {children.length > 0 && (
        <details open>
          <summary>Branches and subflows: {children.length}</summary>
          <ul class="moves">
            {children.map((child) => (
              <li key={child.task_id}>
                <a href={missionAddress(child.workflow_id)}>{child.branch}</a> <TaskState status={child.status} /> at{" "}
                {child.way.currentStep}
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>Moves: {way.earlierMoves + way.moves.length}</summary>
        <Moves moves={way.moves} earlier={way.earlierMoves} />
      </details>
    </section>
  );
}

function Moves({ moves, earlier }: { moves: WayMove[]; earlier: number }) {
  const shown = moves.slice(-MAX_MOVES);
  const hidden = earlier + moves.length - shown.length;
  if (moves.length === 0) return <p class="quiet">It has not moved yet.</p>;
  return (
    <>
      {hidden > 0 && <p class="quiet">{hidden} earlier moves are not shown.</p>}
      <ol class="moves" start={hidden + 1}>
        {shown.map((move) => (
          <li key={move.number}>
            <strong>{move.step}</strong>
            {move.result === null ? "" : `: ${move.result}`} → {move.to ?? "stays"}{" "}
            <span class="quiet">{WORDS[move.action]}</span> <Time at={move.at} />
            {move.undone === undefined ? "" : ` ↩ ${move.undone} effects undone`}
          </li>
        ))}
      </ol>
    </>
  );
}

const WORDS: { readonly [action in WayMove["action"]]: string } = {
  unconditional: "",
  conditional: "",
  retry: "a retry",
  escalate: "retries used up",
  send_to: "sent by a person",
  close: "closed by a person",
};
