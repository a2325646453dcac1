import { pausedText } from "../../../../src/core/base/input/pause";
import { countText, durationText, moneyText, Time, useNow } from "../../parts/text";
import { missionAddress } from "../../router";
import type { ShownRun } from "./run";
import type { Connection } from "./use-run";

const CONNECTION_WORDS: { readonly [connection in Connection]: string } = {
  connecting: "Connecting …",
  live: "Live",
  lost: "The connection was lost. It is made again …",
  over: "It is over: nothing more will come.",
};

/** What it is, how it stands, and what it used. */
export function Header({ run, connection }: { run: ShownRun; connection: Connection }) {
  const { workflow_id, state, kind, asked, started_at, closed_at, summary, temporal_ui, parent, mission, paused } = run;
  const now = useNow(closed_at === undefined);
  const { tokens } = summary;
  return (
    <header class="mission-head">
      <h1>
        {workflow_id} <span class={`state state-${state}`}>{state.replace("_", " ")}</span>
      </h1>
      <dl class="facts">
        <Fact name={kind === "task" ? "Graph" : kind === "plan" ? "Plan" : "Agent"}>
          {asked.agent ?? asked.graph ?? (asked.steps === undefined ? "made by the planner" : `${asked.steps} steps`)}
        </Fact>
        <Fact name="Started">
          <Time at={started_at} />
        </Fact>
        <Fact name={closed_at === undefined ? "Runs for" : "Took"}>
          {durationText((closed_at ?? now) - started_at)}
        </Fact>
        <Fact name="Turns">{countText(summary.turns)}</Fact>
        <Fact name="Tokens">
          {tokens.total === 0 ? "not reported" : `${countText(tokens.input)} in, ${countText(tokens.output)} out`}
        </Fact>
        <Fact name="Cost">{tokens.cost === undefined ? "not known" : moneyText(tokens.cost)}</Fact>
        {paused !== undefined && (
          <Fact name="Paused">
            <Time at={paused.at} /> {pausedText(paused)}
          </Fact>
        )}
        {asked.requested_by !== undefined && <Fact name="Asked by">{asked.requested_by}</Fact>}
      </dl>
      <p class="row links">
        {parent !== undefined && <a href={missionAddress(parent)}>Started by {parent}</a>}
        {parent !== undefined && mission !== parent && mission !== workflow_id && (
          <a href={missionAddress(mission)}>The whole mission</a>
        )}
        {temporal_ui !== undefined && (
          <a href={temporal_ui} target="_blank" rel="noreferrer">
            In Temporal's Web UI
          </a>
        )}
        <span class={`connection connection-${connection}`} role="status">
          {CONNECTION_WORDS[connection]}
        </span>
      </p>
    </header>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
