import { useState } from "preact/hooks";
import { get } from "../../api/request";
import type { ListedMission, MissionPage } from "../../api/types";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { Age, countText, moneyText, Time } from "../../parts/text";
import { missionAddress, type Place } from "../../router";
import { BulkBar, isOver } from "./bulk";
import { apiQuery, filterOf, listAddress, type MissionFilter } from "./filter";
import { Filters, StateTabs } from "./filters";
import "./missions.css";

/** The list is read again after this time, in ms. What has not changed is not sent again. */
const EVERY_MS = 4_000;

/** The missions, tasks and plans of the project, by state. */
export function MissionsView({ place }: { place: Place }) {
  const filter = filterOf(place.query);
  const { state: _, text: __, page: ___, cost: ____, ...counted } = filter;
  const counts = useLoaded(
    `counts ${JSON.stringify(counted)}`,
    (signal) => get<{ [state: string]: number }>("/api/missions/counts", apiQuery(counted, Date.now()), signal),
    { everyMs: EVERY_MS },
  );
  const listed = useLoaded(
    `missions ${JSON.stringify(filter)}`,
    (signal) => get<MissionPage>("/api/missions", apiQuery(filter, Date.now()), signal),
    { everyMs: EVERY_MS },
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const again = () => {
    counts.again();
    listed.again();
  };
  const missions = listed.value?.missions ?? [];
  return (
    <>
      <div class="row missions-heading">
        <h1>Missions, tasks and plans</h1>
        <a class="button" href="/start">
          Start one
        </a>
      </div>
      <StateTabs filter={filter} counts={counts.value} />
      <Filters filter={filter} />
      <BulkBar
        chosen={missions.filter(({ workflow_id }) => chosen.has(workflow_id))}
        clear={() => setChosen(new Set())}
        again={again}
      />
      <Show of={listed} what="the missions">
        {(page) =>
          page.missions.length === 0 ? (
            <NoMissions filter={filter} hasMore={page.next !== undefined} />
          ) : (
            <MissionTable missions={page.missions} chosen={chosen} choose={setChosen} />
          )
        }
      </Show>
      <Pages filter={filter} next={listed.value?.next} />
    </>
  );
}

function NoMissions({ filter, hasMore }: { filter: MissionFilter; hasMore: boolean }) {
  if (hasMore)
    return (
      <Empty title="Nothing on this page fits.">
        <p>Later pages may have more.</p>
      </Empty>
    );
  if (Object.keys(filter).length > 0)
    return (
      <Empty title="No mission fits.">
        <p>
          <a href="/missions">Show all missions</a>
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing was started yet.">
      <p>
        <a href="/start">Start an agent, a graph or a plan</a>, or on the command line: <code>navigator run AGENT</code>
      </p>
    </Empty>
  );
}

function MissionTable({
  missions,
  chosen,
  choose,
}: {
  missions: readonly ListedMission[];
  chosen: ReadonlySet<string>;
  choose: (chosen: ReadonlySet<string>) => void;
}) {
  const ids = missions.map(({ workflow_id }) => workflow_id);
  const hasAll = ids.every((id) => chosen.has(id));
  const toggle = (id: string) => {
    const changed = new Set(chosen);
    if (!changed.delete(id)) changed.add(id);
    choose(changed);
  };
  return (
    <table class="table missions">
      <thead>
        <tr>
          <th class="choose">
            <input
              type="checkbox"
              aria-label="Choose all on this page"
              checked={hasAll}
              onChange={() => choose(new Set(hasAll ? [] : ids))}
            />
          </th>
          <th>Mission</th>
          <th>State</th>
          <th>Started</th>
          <th>Took</th>
          <th class="number">Cost</th>
        </tr>
      </thead>
      <tbody>
        {missions.map((mission) => (
          <MissionRow
            key={`${mission.workflow_id} ${mission.run_id}`}
            mission={mission}
            isChosen={chosen.has(mission.workflow_id)}
            toggle={() => toggle(mission.workflow_id)}
          />
        ))}
      </tbody>
    </table>
  );
}

function MissionRow({ mission, isChosen, toggle }: { mission: ListedMission; isChosen: boolean; toggle: () => void }) {
  const { workflow_id, kind, state, started_at, closed_at, agent, graph, step, issue, open_reviews, cost, tokens } =
    mission;
  return (
    <tr>
      <td class="choose">
        <input type="checkbox" aria-label={`Choose ${workflow_id}`} checked={isChosen} onChange={toggle} />
      </td>
      <td>
        <a href={missionAddress(workflow_id)}>{workflow_id}</a>
        <div class="quiet">
          {[
            kind === "agent" ? agent : kind === "task" ? `task on ${graph ?? "a graph"}` : "plan",
            step && `at ${step}`,
            issue,
          ]
            .filter(Boolean)
            .join(" · ")}
        </div>
      </td>
      <td>
        <span class={`state state-${state}`}>{state.replace("_", " ")}</span>
        {open_reviews > 0 && !isOver(mission) && (
          <div class="quiet">
            {countText(open_reviews)} open {open_reviews === 1 ? "review" : "reviews"}
          </div>
        )}
      </td>
      <td>
        <Time at={started_at} />
      </td>
      <td>
        <Age since={started_at} until={closed_at} />
      </td>
      <td class="number">
        {cost === undefined ? (tokens === undefined ? "" : `${countText(tokens)} tokens`) : moneyText(cost)}
      </td>
    </tr>
  );
}

function Pages({ filter, next }: { filter: MissionFilter; next: string | undefined }) {
  if (filter.page === undefined && next === undefined) return null;
  return (
    <nav class="row missions-pages" aria-label="Pages">
      {filter.page !== undefined && <a href={listAddress({ ...filter, page: undefined })}>The newest</a>}
      {next !== undefined && <a href={listAddress({ ...filter, page: next })}>Older ones</a>}
    </nav>
  );
}
