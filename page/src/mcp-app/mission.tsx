import { isObject } from "../../../src/core/base/is-object";
import type { ViewedMission } from "../../../src/mcp/tools/views";
import { Program, Value } from "../parts/code";
import { Show, useLoaded } from "../parts/loaded";
import { Empty } from "../parts/problem";
import { Age, countText, durationText, moneyText, Time } from "../parts/text";
import { showView, type ViewProps } from "./view";

/** While it runs, it is read again this often. */
const EVERY_MS = 3_000;

/** One mission: why it failed first, then its state, what it waits for, its Mission Log and its effects. */
function MissionView({ host, args, data }: ViewProps) {
  const id = missionIn(data) ?? missionIn(args);
  const mission = useLoaded(id ?? "", async () => (await host.call<ViewedMission>("app_get_mission", { id })).data, {
    everyMs: EVERY_MS,
    isOver: (read) => read.closed_at !== undefined,
  });
  if (id === null)
    return (
      <Empty title="The answer names no mission.">
        <p class="quiet">Ask for one: get_run, get_mission_log.</p>
      </Empty>
    );
  return (
    <Show of={mission} what="the mission">
      {(read) => <Mission host={host} of={read} />}
    </Show>
  );
}

/** The mission that a call is about: the workflow of its answer, or the id that it was called with. */
function missionIn(value: unknown): string | null {
  if (!isObject(value)) return null;
  const found = [value.workflowId, value.runId, value.id].find((one) => typeof one === "string" && one !== "");
  return found === undefined ? null : (found as string);
}

function Mission({ host, of }: { host: ViewProps["host"]; of: ViewedMission }) {
  const { workflowId, state, kind, started_at, closed_at, asked, failed, waits, retrying, summary, page } = of;
  const { turns, tokens } = summary;
  return (
    <>
      <h1>
        {workflowId} <span class={`state state-${state}`}>{state.replaceAll("_", " ")}</span>
      </h1>
      {failed && <Failed of={failed} />}
      <p class="quiet">
        {asked.agent ?? asked.graph ?? kind}
        {asked.requested_by !== undefined && `, asked by ${asked.requested_by}`}, since <Time at={started_at} />,{" "}
        {closed_at === undefined ? <Age since={started_at} /> : durationText(closed_at - started_at)}, {turns} turn
        {turns === 1 ? "" : "s"}, {countText(tokens.total)} tokens
        {tokens.cost !== undefined && `, ${moneyText(tokens.cost)}`}
      </p>
      {waits.length > 0 && (
        <section aria-label="Waits for">
          <h2>Waits for</h2>
          <ul>
            {waits.map((one) => (
              <li key={one.review ?? `${one.workflow_id} ${one.kind}`}>
                <strong>{one.title}</strong>{" "}
                <span class="quiet">
                  {one.assignees.join(", ")}, <Age since={one.since} />
                </span>
                {one.review !== undefined && (
                  <p class="quiet">
                    Ask for the card: <code>{one.review}</code>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {retrying.length > 0 && (
        <section aria-label="Made again">
          <h2>Made again</h2>
          <ul>
            {retrying.map(({ what, attempt, message }) => (
              <li key={what}>
                {what}, attempt {attempt}: {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Mission Log">
        <h2>Mission Log</h2>
        <Log of={of} />
      </section>
      <section aria-label="Effects">
        <h2>Effects</h2>
        <Effects of={of} />
      </section>
      {page !== undefined && (
        <p>
          <button type="button" class="plain" onClick={() => host.open(page)}>
            Open it in Mission Control
          </button>
        </p>
      )}
      {asked.context !== undefined && (
        <details>
          <summary>What it was given</summary>
          <Value of={asked.context} open />
        </details>
      )}
    </>
  );
}

function Failed({ of }: { of: NonNullable<ViewedMission["failed"]> }) {
  const { code, message, meaning, hint, workflow_id, turn, turn_error, program } = of;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      <p>
        <code>{code}</code> {meaning}
      </p>
      {hint !== undefined && <p>{hint}</p>}
      <p class="quiet">
        In {workflow_id}
        {turn === undefined ? "" : `, turn ${turn}`}
        {turn_error === undefined || turn_error.endsWith(message) ? "" : `: ${turn_error}`}
      </p>
      {program !== undefined && <Program code={program} />}
    </div>
  );
}

function Log({ of: { log, log_left_out, workflowId, closed_at } }: { of: ViewedMission }) {
  if (log.length === 0)
    return <p class="quiet">{closed_at === undefined ? "Nothing is recorded yet." : "It recorded nothing."}</p>;
  return (
    <>
      {log_left_out > 0 && <p class="quiet">{countText(log_left_out)} older records are left out.</p>}
      <ol class="log">
        {log.map(({ run, id, text, at, by }) => (
          <li key={`${run} ${id} ${at}`}>
            <span class="quiet">
              <Time at={at} /> {by}
              {run !== workflowId && ` in ${run}`}
            </span>
            <span>
              <strong>{id}</strong>: {text}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

const LOOK: { readonly [state: string]: string } = {
  done: "state-completed",
  unknown: "state-waiting",
  intended: "state-running",
  failed: "state-failed",
  refused: "state-failed",
};

function Effects({ of: { effects, effects_summary } }: { of: ViewedMission }) {
  return (
    <>
      <p class="quiet">{effects_summary}</p>
      {effects.length > 0 && (
        <ul class="effects">
          {effects.map(({ key, tool, state, args, review }) => (
            <li key={key}>
              <span class={`state ${LOOK[state] ?? ""}`}>{state}</span> <strong>{tool}</strong>
              {args !== undefined && <Value of={args} />}
              {review !== undefined && (
                <span class="quiet">
                  {" "}
                  asked in <code>{review}</code>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

showView("mission", MissionView);
