import { get } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { graphAddress, setQuery, usePlace } from "../../router";
import "./graphs.css";

interface ListedGraph {
  id: string;
  name: string;
  description: string;
  version: number;
  stepCount: number;
  source: "catalog" | "project" | "external";
  openTasks: number;
}

const EVERY_MS = 10_000;
const SOURCES = [
  ["", "All sources"],
  ["project", "This project"],
  ["catalog", "The catalog"],
  ["external", "Loaded by others"],
] as const;

/** All graphs that are loaded. */
export function GraphsView() {
  const { query } = usePlace();
  const source = query.get("source") ?? "";
  const text = query.get("text") ?? "";
  const loaded = useLoaded(
    `graphs ${source}`,
    (signal) => get<{ graphs: ListedGraph[] }>("/api/graphs", { source }, signal),
    { everyMs: EVERY_MS },
  );
  return (
    <>
      <h1>Graphs</h1>
      <div class="row">
        <label>
          Source{" "}
          <select value={source} onChange={(event) => setQuery({ source: event.currentTarget.value })}>
            {SOURCES.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Text <input type="search" value={text} onInput={(event) => setQuery({ text: event.currentTarget.value })} />
        </label>
      </div>
      <Show of={loaded} what="the graphs">
        {({ graphs }) => (
          <Cards graphs={graphs.filter((graph) => hasText(graph, text))} isFiltered={source + text !== ""} />
        )}
      </Show>
    </>
  );
}

const hasText = ({ id, name, description }: ListedGraph, text: string): boolean =>
  [id, name, description].some((field) => field.toLowerCase().includes(text.toLowerCase()));

function Cards({ graphs, isFiltered }: { graphs: ListedGraph[]; isFiltered: boolean }) {
  if (graphs.length === 0)
    return isFiltered ? (
      <Empty title="No graph fits.">
        <p>
          <a href="/graphs">Show all graphs</a>
        </p>
      </Empty>
    ) : (
      <Empty title="No graph is loaded.">
        <p>
          Load one: <code>navigator workflow load FILE</code>. To begin with an example:{" "}
          <code>navigator workflow init</code>
        </p>
      </Empty>
    );
  return (
    <ul class="graph-cards">
      {graphs.map(({ id, name, description, version, stepCount, source, openTasks }) => (
        <li key={id} class="panel">
          <h2>
            <a href={graphAddress(id)}>{name}</a>
          </h2>
          <p class="quiet">
            <code>{id}</code> · version {version} · {stepCount} nodes · {source}
          </p>
          {description !== "" && <p>{description}</p>}
          <p>{openTasks === 0 ? "No open tasks" : openTasks === 1 ? "1 open task" : `${openTasks} open tasks`}</p>
        </li>
      ))}
    </ul>
  );
}
