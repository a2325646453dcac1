import type { TaskPage } from "../../../../src/client/tasks/task-page";
import type { GraphDrawing as DrawnGraph } from "../../../../src/core/graph/show/drawing";
import { get } from "../../api/request";
import { GraphDrawing } from "../../drawing/graph-drawing";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { Age, countText, moneyText } from "../../parts/text";
import { graphAddress, missionAddress, setQuery, usePlace } from "../../router";
import { TaskDrawing } from "./task-drawing";
import { TaskState } from "./task-state";
import "./graphs.css";

interface FindingData {
  code: string;
  message: string;
  nodeId?: string;
}

interface GraphAnswer {
  id: string;
  name: string;
  description: string;
  version: number;
  source: string;
  drawing: DrawnGraph;
  check: {
    ok: boolean;
    errors: FindingData[];
    warnings: FindingData[];
    projectWarnings: FindingData[];
    worst: { agent_runs: number | null; model_calls: number | null; cost: number | null } | null;
  };
}

interface Steps {
  steps: { step: string; tasks: number }[];
  elsewhere: number;
}

const EVERY_MS = 3_000;
const STATES = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL", "COMPLETED", "FAILED"] as const;

/** One graph: how it looks, the results of its check, and its tasks. */
export function GraphView() {
  const { parts, query } = usePlace();
  const id = parts[1] ?? "";
  const path = `/api/graphs/${encodeURIComponent(id)}`;
  const graph = useLoaded(`graph ${id}`, (signal) => get<GraphAnswer>(path, {}, signal));
  const steps = useLoaded(`steps ${id}`, (signal) => get<Steps>(`${path}/steps`, {}, signal), { everyMs: EVERY_MS });
  const state = query.get("state") ?? "";
  const step = query.get("step") ?? "";
  const page = query.get("page") ?? "";
  const task = query.get("task") ?? "";
  const tasks = useLoaded(
    `tasks ${id} ${state} ${step} ${page}`,
    (signal) => get<TaskPage>("/api/tasks", { graph: id, state, step, page }, signal),
    { everyMs: EVERY_MS },
  );
  const counts = new Map(steps.value?.steps.map(({ step: at, tasks: n }) => [at, n]));
  const open = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return (
    <Show of={graph} what={`the graph ${id}`}>
      {({ name, description, version, source, drawing, check }) => (
        <div class="labelled">
          <h1>{name}</h1>
          <p class="quiet">
            <code>{id}</code> · version {version} · {source}
          </p>
          {description !== "" && <p>{description}</p>}
          <div class="row graph-row">
            <a class="button" href={`/start?graph=${encodeURIComponent(id)}`}>
              Start a task
            </a>
          </div>
          {task === "" ? (
            <GraphDrawing
              graph={drawing}
              title={name}
              about={`A graph with ${drawing.nodes.length} nodes and ${drawing.edges.length} edges. ${open} open tasks are on it.`}
              counts={counts}
            />
          ) : (
            <>
              <div class="row graph-row">
                <button type="button" onClick={() => setQuery({ task: undefined })}>
                  Show all tasks
                </button>
                <a href={missionAddress(task)}>To {task}</a>
              </div>
              <TaskDrawing workflowId={task} />
            </>
          )}
          <h2>Check</h2>
          <CheckResult check={check} />
          <h2>Tasks</h2>
          <div class="row graph-row">
            <label>
              State{" "}
              <select
                value={state}
                onChange={(event) => setQuery({ state: event.currentTarget.value, page: undefined })}
              >
                <option value="">All states</option>
                {STATES.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Step{" "}
              <select value={step} onChange={(event) => setQuery({ step: event.currentTarget.value, page: undefined })}>
                <option value="">All steps</option>
                {drawing.nodes.map(({ id: one }) => (
                  <option key={one} value={one}>
                    {counts.has(one) ? `${one} (${counts.get(one)} open)` : one}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {(steps.value?.elsewhere ?? 0) > 0 && (
            <p class="quiet">{steps.value?.elsewhere} open tasks are at steps that this version does not have.</p>
          )}
          <Show of={tasks} what="the tasks">
            {(found) => <Tasks found={found} graph={id} isFiltered={state + step !== ""} isFirst={page === ""} />}
          </Show>
        </div>
      )}
    </Show>
  );
}

/** More findings are folded up. */
const FEW = 4;

function CheckResult({ check: { errors, warnings, projectWarnings, worst } }: { check: GraphAnswer["check"] }) {
  const all = [...errors, ...warnings, ...projectWarnings];
  return (
    <>
      {all.length === 0 ? (
        <p>Nothing is wrong or doubtful.</p>
      ) : (
        <details open={all.length <= FEW}>
          <summary>
            {errors.length === 0 ? "" : `${errors.length} wrong, `}
            {all.length - errors.length} doubtful
          </summary>
          <ul class="graph-findings">
            {all.map((finding) => (
              <li key={`${finding.code} ${finding.message}`}>
                <code>{finding.code}</code> {finding.message}
              </li>
            ))}
          </ul>
        </details>
      )}
      {worst !== null && <p class="quiet">{worstText(worst)}</p>}
    </>
  );
}

/** The most that one task can take, as far as it is known. */
function worstText({ agent_runs, model_calls, cost }: NonNullable<GraphAnswer["check"]["worst"]>): string {
  if (agent_runs === null) return "Nothing limits how often agents run in one task.";
  const facts = [
    `${countText(agent_runs)} agent runs`,
    ...(model_calls === null ? [] : [`${countText(model_calls)} model calls`]),
    ...(cost === null ? [] : [moneyText(cost)]),
  ];
  return `One task takes at most ${facts.join(", ")}${cost === null ? "; its price is not known" : ""}.`;
}

function Tasks({
  found: { tasks, next },
  graph,
  isFiltered,
  isFirst,
}: {
  found: TaskPage;
  graph: string;
  isFiltered: boolean;
  isFirst: boolean;
}) {
  if (tasks.length === 0 && next === undefined)
    return isFiltered ? (
      <Empty title="No task fits.">
        <p>
          <a href={graphAddress(graph)}>Show all tasks of this graph</a>
        </p>
      </Empty>
    ) : (
      <Empty title="No task is on this graph.">
        <p>
          <a href={`/start?graph=${encodeURIComponent(graph)}`}>Start one</a>
        </p>
      </Empty>
    );
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">State</th>
            <th scope="col">Step</th>
            <th scope="col" class="number">
              Priority
            </th>
            <th scope="col">About</th>
            <th scope="col">Age</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={`${task.workflow_id} ${task.started_at}`}>
              <td>
                <a href={missionAddress(task.workflow_id)}>{task.task_id}</a>{" "}
                <button
                  type="button"
                  class="plain"
                  aria-label={`Show ${task.task_id} on the graph`}
                  onClick={() => setQuery({ task: task.workflow_id })}
                >
                  Show
                </button>
              </td>
              <td>
                <TaskState status={task.status} execution={task.execution} />
              </td>
              <td data-label="At">{task.step}</td>
              <td class="number" data-label="Priority">
                {task.priority}
              </td>
              <td data-label="About">{task.issue === task.task_id ? "" : task.issue}</td>
              <td>
                <Age since={task.started_at} until={task.closed_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row">
        {!isFirst && (
          <button type="button" onClick={() => setQuery({ page: undefined })}>
            First page
          </button>
        )}
        {next !== undefined && (
          <button type="button" onClick={() => setQuery({ page: next })}>
            More tasks
          </button>
        )}
      </div>
    </>
  );
}
