import { useState } from "preact/hooks";
import type { TaskQueueLoad } from "../../../../src/client/task-queue";
import type { PriorityCount, TaskInWork } from "../../../../src/client/tasks/overview";
import { taskWorkflowId } from "../../../../src/core/base/ids";
import type { SyncRecord } from "../../../../src/core/graph/task/sync";
import { get, post } from "../../api/request";
import { Confirm } from "../../parts/dialog";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty, ProblemNote } from "../../parts/problem";
import { Age, countText, durationText, Time, useNow } from "../../parts/text";
import { missionAddress } from "../../router";
import "../graphs/graphs.css";
import "./queue.css";

interface Queue {
  counts: { [status: string]: number };
  priorities: PriorityCount[];
  others: number;
  held: TaskInWork[];
  unconfirmed: string[];
  load: TaskQueueLoad;
}

interface NextTask {
  id: string;
  workflowType: string;
  currentStep: string;
  priority: number;
  issueId: string;
}

const QUEUE_MS = 3_000;
const SYNCS_MS = 3_000;

const taskAddress = (id: string): string => missionAddress(taskWorkflowId(id));

/** The queue of tasks: the waiting and the claimed ones, and which moves the orchestrator's own store has not confirmed. */
export function QueueView() {
  const queue = useLoaded("queue", (signal) => get<Queue>("/api/queue", {}, signal), { everyMs: QUEUE_MS });
  const next = useLoaded(
    "next",
    (signal) => get<{ tasks: NextTask[]; unconfirmed: string[] }>("/api/queue/next", { limit: 20 }, signal),
    { everyMs: QUEUE_MS },
  );
  return (
    <div class="labelled">
      <h1>Queue and syncs</h1>
      <Show of={queue} what="the queue">
        {(found) => (
          <>
            <Counts counts={found.counts} />
            <h2>Pending by priority</h2>
            <Priorities priorities={found.priorities} others={found.others} />
            <h2>Next</h2>
            <Show of={next} what="the next tasks">
              {({ tasks, unconfirmed }) => <Next tasks={tasks} unconfirmed={unconfirmed} />}
            </Show>
            <h2>Claimed</h2>
            <Claimed held={found.held} unconfirmed={found.unconfirmed} />
            <h2>Workers</h2>
            <Workers load={found.load} />
          </>
        )}
      </Show>
      <h2 id="syncs">Unconfirmed moves</h2>
      <Syncs />
    </div>
  );
}

function Counts({ counts }: { counts: Queue["counts"] }) {
  return (
    <ul class="queue-counts" aria-label="Tasks by state">
      {Object.entries(counts).map(([status, n]) => (
        <li key={status}>
          <strong>{countText(n)}</strong> {status}
        </li>
      ))}
    </ul>
  );
}

function Priorities({ priorities, others }: { priorities: PriorityCount[]; others: number }) {
  const most = Math.max(1, ...priorities.map(({ tasks }) => tasks));
  if (priorities.length === 0)
    return (
      <Empty title="Nothing is pending.">
        <p>
          Load tasks: <code>navigator task load FILE</code>, or <a href="/start">start one</a>.
        </p>
      </Empty>
    );
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Priority</th>
            <th scope="col" class="number">
              Tasks
            </th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {priorities.map(({ priority, tasks }) => (
            <tr key={priority} data-priority={priority}>
              <td data-label="Priority">{priority}</td>
              <td class="number" data-label="Tasks">
                {countText(tasks)}
              </td>
              <td>
                <meter
                  class="queue-bar"
                  min={0}
                  max={most}
                  value={tasks}
                  aria-label={`Tasks of priority ${priority}`}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {others > 0 && <p class="quiet">{countText(others)} more have other priorities.</p>}
    </>
  );
}

function Next({ tasks, unconfirmed }: { tasks: NextTask[]; unconfirmed: string[] }) {
  return (
    <>
      {tasks.length === 0 ? (
        <p class="quiet">There is nothing that could be claimed now.</p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col" class="number">
                Priority
              </th>
              <th scope="col">Graph</th>
              <th scope="col">Step</th>
              <th scope="col">About</th>
            </tr>
          </thead>
          <tbody>
            {tasks.map(({ id, workflowType, currentStep, priority, issueId }) => (
              <tr key={id}>
                <td>
                  <a href={taskAddress(id)}>{id}</a>
                </td>
                <td class="number" data-label="Priority">
                  {priority}
                </td>
                <td data-label="On">{workflowType}</td>
                <td data-label="At">{currentStep}</td>
                <td>{issueId === id ? "" : issueId}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Silent ids={unconfirmed} />
    </>
  );
}

function Claimed({ held, unconfirmed }: { held: TaskInWork[]; unconfirmed: string[] }) {
  return (
    <>
      {held.length === 0 ? (
        <p class="quiet">
          Nobody claims a task. A client takes one with <code>navigator task next --claim --owner NAME</code>.
        </p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">Claimed by</th>
              <th scope="col">Free again</th>
              <th scope="col">Graph</th>
              <th scope="col">Step</th>
              <th scope="col" class="number">
                Priority
              </th>
            </tr>
          </thead>
          <tbody>
            {held.map(({ task_id, owner, expires_at, graph, step, priority }) => (
              <tr key={task_id} data-claimed={task_id}>
                <td>
                  <a href={taskAddress(task_id)}>{task_id}</a>
                </td>
                <td data-label="Claimed by">{owner}</td>
                <td data-label="Free again">
                  <Left until={expires_at} />
                </td>
                <td data-label="On">{graph}</td>
                <td data-label="At">{step}</td>
                <td class="number" data-label="Priority">
                  {priority}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Silent ids={unconfirmed} />
    </>
  );
}

function Left({ until }: { until: number }) {
  const now = useNow();
  return (
    <>
      {until > now ? `in ${durationText(until - now)}` : "now"} (<Time at={until} />)
    </>
  );
}

function Silent({ ids }: { ids: string[] }) {
  if (ids.length === 0) return null;
  return (
    <p class="quiet">
      Left out, because no worker of their task queue answers: {ids.slice(0, 10).join(", ")}
      {ids.length > 10 ? ` and ${ids.length - 10} more` : ""}. Start one: <code>navigator worker</code>
    </p>
  );
}

function Workers({ load: { task_queue, workflow, activity } }: { load: TaskQueueLoad }) {
  const kinds = [
    ["Decisions of workflows", workflow],
    ["Calls of models and tools", activity],
  ] as const;
  const isServed = workflow.pollers.length > 0;
  return (
    <>
      <p>
        Task queue <code>{task_queue}</code>
      </p>
      {!isServed && (
        <p class="problem">
          No worker asks for work of this task queue. Start one: <code>navigator worker</code>
        </p>
      )}
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Work</th>
            <th scope="col" class="number">
              Waiting
            </th>
            <th scope="col">Oldest</th>
            <th scope="col">Workers</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(([name, { backlog, backlog_age_ms, pollers }]) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="number" data-label="Waiting">
                {countText(backlog)}
              </td>
              <td>{backlog === 0 ? "" : durationText(backlog_age_ms)}</td>
              <td>
                {pollers.length === 0
                  ? "none"
                  : pollers.map(({ identity, last_seen }) => (
                      <div key={identity}>
                        {identity}, seen <Age since={last_seen} /> ago
                      </div>
                    ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

type Asked = { ids: string[] } | { task: string };

function Syncs() {
  const syncs = useLoaded(
    "syncs",
    (signal) => get<{ total: number; pending: SyncRecord[] }>("/api/syncs", {}, signal),
    {
      everyMs: SYNCS_MS,
    },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState("");
  const confirm = async (asked: Asked) => {
    setBusy(true);
    setError(undefined);
    try {
      const { confirmed, remaining } = await post<{ confirmed: string[]; remaining: number }>(
        "/api/syncs/confirm",
        asked,
      );
      setNote(`Confirmed ${confirmed.length}; ${remaining} left.`);
      setChosen(new Set());
      syncs.again();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
      setAsking(false);
    }
  };
  const toggle = (id: string) => {
    const others = new Set(chosen);
    if (!others.delete(id)) others.add(id);
    setChosen(others);
  };
  return (
    <>
      <p role="status">{note}</p>
      {error !== undefined && <ProblemNote error={error} />}
      <Show of={syncs} what="the unconfirmed moves">
        {({ total, pending }) => {
          if (total === 0)
            return (
              <Empty title="Everything is confirmed.">
                <p>Moves of tasks are listed here until the store that they came from has them.</p>
              </Empty>
            );
          const ids = pending.map(({ id }) => id);
          const present = ids.filter((id) => chosen.has(id));
          return (
            <>
              <p class="quiet">
                Confirm a move when the store that the task came from has it. It is then no longer listed.
                {total > pending.length ? ` The oldest ${pending.length} of ${total} are shown.` : ""}
              </p>
              <div class="row">
                <button
                  type="button"
                  disabled={isBusy || present.length === 0}
                  onClick={() => void confirm({ ids: present })}
                >
                  Confirm chosen ({present.length})
                </button>
                <button type="button" disabled={isBusy} onClick={() => setAsking(true)}>
                  Confirm all shown ({ids.length})
                </button>
              </div>
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">
                      <input
                        type="checkbox"
                        aria-label="All"
                        checked={present.length === ids.length}
                        onChange={() => setChosen(present.length === ids.length ? new Set() : new Set(ids))}
                      />
                    </th>
                    <th scope="col">Task</th>
                    <th scope="col">Move</th>
                    <th scope="col">State</th>
                    <th scope="col">At</th>
                    <th scope="col">
                      <span class="quiet">Action</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {pending.map(({ id, taskId, issueId, kind, previousStep, nextStep, status, createdAt }) => (
                    <tr key={id} data-sync={id}>
                      <td>
                        <input
                          type="checkbox"
                          aria-label={`${taskId}: ${previousStep} to ${nextStep ?? "stays"}`}
                          checked={chosen.has(id)}
                          onChange={() => toggle(id)}
                        />
                      </td>
                      <td>
                        <a href={taskAddress(taskId)}>{taskId}</a>
                        {issueId === taskId ? "" : ` ${issueId}`}
                      </td>
                      <td>
                        {previousStep} → {nextStep ?? "stays"}
                        {kind === "advance" ? "" : ` (${kind})`}
                      </td>
                      <td>{status}</td>
                      <td>
                        <Time at={createdAt} />
                      </td>
                      <td>
                        <button type="button" disabled={isBusy} onClick={() => void confirm({ ids: [id] })}>
                          Confirm
                        </button>{" "}
                        <button type="button" disabled={isBusy} onClick={() => void confirm({ task: taskId })}>
                          All of {taskId}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {isAsking && (
                <Confirm
                  title={`Confirm ${ids.length} moves?`}
                  text={<p>They are no longer listed. Do it if the store has all of them.</p>}
                  action={`Confirm ${ids.length} moves`}
                  isBusy={isBusy}
                  confirm={() => void confirm({ ids })}
                  close={() => setAsking(false)}
                />
              )}
            </>
          );
        }}
      </Show>
    </>
  );
}
