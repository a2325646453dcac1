import type { PhaseStep, PlanProgress as Progress } from "../../../../src/client/runs/plan-progress";
import { get } from "../../api/request";
import { aboutPlan, PlanDrawing, stepWords } from "../../drawing/plan-drawing";
import { Show, useLoaded } from "../../parts/loaded";
import { durationText } from "../../parts/text";
import { missionAddress, reviewAddress } from "../../router";
import "./graphs.css";

const EVERY_MS = 1_000;

/**
 * A plan by phases, live: its steps with what they depend on, and how each stands.
 *
 * @param changes a number that grows when something happened: the plan is then read at once
 */
export function PlanProgress({ workflowId, changes = 0 }: { workflowId: string; changes?: number }) {
  const plan = useLoaded(
    `plan ${workflowId}`,
    (signal) => get<Progress>(`/api/plans/${encodeURIComponent(workflowId)}`, {}, signal),
    { everyMs: EVERY_MS, isOver: ({ ended }) => ended !== null, changes },
  );
  return (
    <Show of={plan} what="the plan">
      {(progress) => (
        <section aria-label={`Plan ${progress.plan_id} by phases`}>
          <p>{aboutPlan(progress)}</p>
          {progress.replans > 0 && (
            <p class="quiet">
              Repaired {progress.replans} times; this is execution {progress.executions}.
            </p>
          )}
          {progress.phases.length === 0 ? (
            <p class="quiet">
              {progress.state === "planning" ? "The planner makes the plan …" : "The plan has no steps."}
            </p>
          ) : (
            <>
              <PlanDrawing plan={progress} title={`Plan ${progress.plan_id}`} />
              <details>
                <summary>The steps as a table</summary>
                <Steps phases={progress.phases} />
              </details>
            </>
          )}
        </section>
      )}
    </Show>
  );
}

function Steps({ phases }: { phases: PhaseStep[][] }) {
  return (
    <table class="table steps">
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Phase</th>
          <th scope="col">State</th>
          <th scope="col">Depends on</th>
          <th scope="col">Critical</th>
          <th scope="col">Attempts</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {phases.flatMap((phase, i) =>
          phase.map((step) => (
            <tr key={step.id}>
              <td>{step.run === null ? step.id : <a href={missionAddress(step.run)}>{step.id}</a>}</td>
              <td>Phase {i + 1}</td>
              <td>
                {step.review === null ? stepWords(step) : <a href={reviewAddress(step.review)}>{stepWords(step)}</a>}
                {step.why !== null && <span class="quiet"> {step.why}</span>}
              </td>
              <td>{step.depends_on.join(", ")}</td>
              <td>{step.critical ? "critical" : ""}</td>
              <td class="number">{step.attempts === 0 ? "" : step.attempts}</td>
              <td class="number">{step.duration_ms === null ? "" : durationText(step.duration_ms)}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}
