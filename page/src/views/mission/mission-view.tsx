import { endIn } from "../../../../src/core/history/read/timeline-entry";
import { Value } from "../../parts/code";
import { Show } from "../../parts/loaded";
import { missionAddress, type Place } from "../../router";
import { Actions } from "./actions";
import { Asked } from "./asked";
import { Drawing } from "./drawing";
import { Effects } from "./effects";
import { FailedNote } from "./failed-note";
import { Header } from "./header";
import { Journal, MissionLog } from "./journal";
import { Ledger } from "./ledger";
import { type ShownRun, shownTurns } from "./run";
import { Timeline } from "./timeline";
import { Turns } from "./turns";
import { type LiveRun, useRun } from "./use-run";
import { Waits } from "./waits";
import "./mission.css";

const VIEWS = [
  ["", "Overview"],
  ["timeline", "Timeline"],
  ["journal", "Journal"],
  ["effects", "Effects"],
  ["ledger", "Ledger"],
] as const;

/** One mission, task or plan, or a run below one: what it was asked, how it stands, and what it did. */
export function MissionView({ place }: { place: Place }) {
  const workflowId = place.parts[1] ?? "";
  // Each run begins anew: nothing of another is shown.
  return <Mission key={workflowId} workflowId={workflowId} view={place.query.get("view") ?? ""} />;
}

function Mission({ workflowId, view }: { workflowId: string; view: string }) {
  const live = useRun(workflowId);
  return (
    <Show of={live} what="the mission">
      {(run) => (
        <>
          <Header run={run} connection={live.connection} />
          {run.failed !== null && (
            <FailedNote failed={run.failed} lastCall={run.last_failed_call} workflowId={run.workflow_id} />
          )}
          <Waits run={run} again={live.again} />
          <Actions run={run} again={live.again} />
          <nav class="state-tabs" aria-label="Parts of the mission">
            {VIEWS.map(([name, title]) => (
              <a
                key={name}
                href={`${missionAddress(workflowId)}${name === "" ? "" : `?view=${name}`}`}
                aria-current={view === name ? "page" : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          <Part run={run} live={live} view={view} />
        </>
      )}
    </Show>
  );
}

function Part({ run, live, view }: { run: ShownRun; live: LiveRun; view: string }) {
  const { workflow_id } = run;
  if (view === "timeline") return <Timeline run={run} />;
  if (view === "journal") return <Journal run={run} />;
  if (view === "effects") return <Effects workflowId={workflow_id} changes={live.changes} />;
  if (view === "ledger") return <Ledger workflowId={workflow_id} />;
  return <Overview run={run} live={live} />;
}

function Overview({ run, live }: { run: ShownRun; live: LiveRun }) {
  const turns = shownTurns(
    run.story,
    live.streamed.filter(({ workflow_id }) => workflow_id === run.workflow_id),
  );
  return (
    <>
      {run.returned !== undefined && (
        <section aria-label="Result">
          <h2>Result</h2>
          <Value of={run.returned} />
        </section>
      )}
      <Drawing run={run} changes={live.changes} />
      <MissionLog rows={run.projection.rows} />
      <Asked run={run} />
      {turns.length > 0 && (
        <section aria-label="Turns">
          <h2>Turns</h2>
          <Turns turns={turns} failedTurn={run.failed?.workflow_id === run.workflow_id ? run.failed.turn : undefined} />
        </section>
      )}
      {run.kind === "agent" && turns.length === 0 && (
        <p class="quiet">No turn has begun. A worker begins it: navigator worker</p>
      )}
      <RunsBelow run={run} />
    </>
  );
}

function RunsBelow({ run }: { run: ShownRun }) {
  if (run.children.length === 0) return null;
  return (
    <section aria-label="Runs below">
      <h2>Runs below it</h2>
      <ul>
        {run.children.map(({ workflow_id, projection, story }) => {
          const last = endIn(projection.timeline);
          const state =
            story?.end?.state ?? (last === undefined ? "running" : last.outcome === "failed" ? "failed" : "completed");
          return (
            <li key={workflow_id}>
              <a href={missionAddress(workflow_id)}>{workflow_id}</a>{" "}
              <span class={`state state-${state}`}>{state}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
