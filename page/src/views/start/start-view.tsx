import { get } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import type { Place } from "../../router";
import { AgentStart } from "./agent-start";
import { GraphStart } from "./graph-start";
import { PlanStart } from "./plan-start";
import "./start.css";

/** Choose an agent, a graph or a plan; fill in what it needs; start it: `/start?agent=NAME`, `?graph=ID`, `?plan=new`. */
export function StartView({ place: { query } }: { place: Place }) {
  const agent = query.get("agent");
  const graph = query.get("graph");
  return (
    <>
      <h1>Start</h1>
      <div class="start">
        <Choices agent={agent} graph={graph} isPlan={query.has("plan")} />
        {agent !== null ? (
          <AgentStart key={agent} name={agent} />
        ) : graph !== null ? (
          <GraphStart key={graph} id={graph} />
        ) : query.has("plan") ? (
          <PlanStart />
        ) : (
          <Empty title="Nothing is chosen.">
            <p>
              Choose what to start: an agent does one mission, a graph takes a task through its steps, a plan is made of
              tasks.
            </p>
          </Empty>
        )}
      </div>
    </>
  );
}

function Choices({ agent, graph, isPlan }: { agent: string | null; graph: string | null; isPlan: boolean }) {
  const agents = useLoaded("agents", (signal) =>
    get<{ agents: { name: string; description?: string }[] }>("/api/agents", {}, signal),
  );
  const graphs = useLoaded("graphs", (signal) =>
    get<{ graphs: { id: string; name: string; source: string }[] }>("/api/graphs", {}, signal),
  );
  return (
    <nav class="choices" aria-label="What to start">
      <h2>Agents</h2>
      <Show of={agents} what="the agents">
        {({ agents: all }) =>
          all.length === 0 ? (
            <p class="quiet">The project has none. They stand in its folder of agents: see navigator.config.</p>
          ) : (
            <ul>
              {all.map(({ name, description }) => (
                <li key={name}>
                  <a
                    href={`/start?agent=${encodeURIComponent(name)}`}
                    aria-current={name === agent ? "true" : undefined}
                  >
                    {name}
                    {description && <small>{description}</small>}
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <h2>Graphs</h2>
      <Show of={graphs} what="the graphs">
        {({ graphs: all }) =>
          all.length === 0 ? (
            <p class="quiet">None is loaded. Load one: navigator workflow load FILE</p>
          ) : (
            <ul>
              {ownFirst(all).map(({ id, name }) => (
                <li key={id}>
                  <a href={`/start?graph=${encodeURIComponent(id)}`} aria-current={id === graph ? "true" : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <h2>Plans</h2>
      <ul>
        <li>
          <a href="/start?plan=new" aria-current={isPlan ? "true" : undefined}>
            A new plan
          </a>
        </li>
      </ul>
    </nav>
  );
}

/** The project's own before those that come with Navigator. */
const ownFirst = <T extends { source: string }>(all: readonly T[]): T[] => [
  ...all.filter(({ source }) => source !== "catalog"),
  ...all.filter(({ source }) => source === "catalog"),
];
