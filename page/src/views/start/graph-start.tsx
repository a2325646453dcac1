import { useMemo, useState } from "preact/hooks";
import type { Field } from "../../../../src/core/signature/parse";
import { get, post } from "../../api/request";
import { draftOf, parametersOf } from "../../parts/arguments-draft";
import { ArgumentsForm } from "../../parts/arguments-form";
import { Show, useLoaded } from "../../parts/loaded";
import { ProblemNote } from "../../parts/problem";
import { moneyText } from "../../parts/text";
import { go, graphAddress, missionAddress } from "../../router";
import { JsonField, readJsonObject } from "./json-field";
import { choiceProblems, chosen, NO_CHOICES, StartOptions } from "./start-options";

interface CheckedGraph {
  id: string;
  name: string;
  description: string;
  definition: {
    nodes: { [id: string]: { type: string; agent?: string } };
    edges: { from: string; to: string }[];
  };
  check: {
    ok: boolean;
    projectWarnings: { code: string; message: string }[];
    worst: { cost?: number | null; model_calls?: number } | null;
  };
}

interface Loaded {
  graph: CheckedGraph;
  agents: { name: string; signature?: string }[];
}

/** Starts a task on a graph. */
export function GraphStart({ id }: { id: string }) {
  const loaded = useLoaded(`graph ${id}`, async (signal): Promise<Loaded> => {
    const [graph, { agents }] = await Promise.all([
      get<CheckedGraph>(`/api/graphs/${encodeURIComponent(id)}`, {}, signal),
      get<Pick<Loaded, "agents">>("/api/agents", {}, signal),
    ]);
    return { graph, agents };
  });
  return (
    <section aria-labelledby="start-what">
      <h2 id="start-what">{loaded.value?.graph.name ?? id}</h2>
      <Show of={loaded} what="the graph">
        {(value) => <GraphForm key={id} {...value} />}
      </Show>
    </section>
  );
}

/** The parameters that the agents of the first steps take: the input of a task has no signature. */
function firstParameters({ definition: { nodes, edges } }: CheckedGraph, agents: Loaded["agents"]): Field[] {
  const starts = Object.keys(nodes).filter((id) => nodes[id]?.type === "start");
  const first = edges.filter(({ from }) => starts.includes(from)).map(({ to }) => nodes[to]?.agent);
  const fields = agents.filter(({ name }) => first.includes(name)).flatMap(({ signature }) => parametersOf(signature));
  return [...new Map(fields.map((field) => [field.name, field])).values()];
}

function GraphForm({ graph, agents }: Loaded) {
  const { id, description, check } = graph;
  const fields = useMemo(() => firstParameters(graph, agents), [graph, agents]);
  const [draft, setDraft] = useState(() => draftOf(fields, {}));
  const [choices, setChoices] = useState(NO_CHOICES);
  const [json, setJson] = useState("{}");
  const [priority, setPriority] = useState("0");
  const [state, setState] = useState<{ isChecked?: boolean; isBusy?: boolean; error?: unknown }>({});
  const context = readJsonObject(json);
  const problems = choiceProblems(choices);
  const wrongPriority = priority.trim() === "" || !Number.isFinite(Number(priority)) ? "a number is needed" : undefined;
  const start = async (event: Event) => {
    event.preventDefault();
    const isMissing = Object.keys(draft.problems).length > 0;
    if (!("value" in context) || isMissing || Object.keys(problems).length > 0 || wrongPriority !== undefined) {
      setState({ isChecked: true });
      return;
    }
    setState({ isChecked: true, isBusy: true });
    try {
      const body = {
        graph: id,
        context: { ...context.value, ...draft.value },
        priority: Number(priority),
        ...chosen(choices),
      };
      const { workflow_id } = await post<{ workflow_id: string }>("/api/tasks", body);
      go(missionAddress(workflow_id));
    } catch (error) {
      setState({ isChecked: true, error });
    }
  };
  return (
    <form onSubmit={start} noValidate>
      {description && <p>{description}</p>}
      <fieldset>
        <legend>Input</legend>
        {fields.length > 0 && (
          <ArgumentsForm
            id="start"
            fields={fields}
            draft={draft}
            changed={setDraft}
            isChecked={state.isChecked === true}
          />
        )}
        <JsonField
          id="start-json"
          label={fields.length > 0 ? "Further data of the task, as JSON" : "Data of the task, as JSON"}
          rows={fields.length > 0 ? 2 : 6}
          text={json}
          changed={setJson}
          problem={"problem" in context ? context.problem : undefined}
        />
        <div class="field">
          <label for="start-priority">Priority</label>
          <input
            id="start-priority"
            type="text"
            inputMode="decimal"
            value={priority}
            aria-invalid={wrongPriority !== undefined}
            aria-describedby="start-priority-note"
            onInput={(event) => setPriority(event.currentTarget.value)}
          />
          <p class="note" id="start-priority-note">
            {wrongPriority ?? "A higher number is more important."}
          </p>
        </div>
      </fieldset>
      <StartOptions
        choices={choices}
        changed={setChoices}
        problems={state.isChecked ? problems : {}}
        hasBudget={false}
      />
      <p class="price">
        <strong>{worstText(check.worst?.cost)}</strong>
      </p>
      {check.projectWarnings.length > 0 && (
        <>
          <h3>Results of its check</h3>
          <ul class="findings">
            {check.projectWarnings.map(({ code, message }) => (
              <li key={`${code} ${message}`}>{message}</li>
            ))}
          </ul>
        </>
      )}
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <p class="row">
        <button type="submit" class="main" disabled={state.isBusy === true}>
          {state.isBusy ? "Starting …" : "Start the task"}
        </button>
        <a href={graphAddress(id)}>See the graph</a>
      </p>
    </form>
  );
}

const worstText = (cost: number | null | undefined): string =>
  typeof cost === "number" ? `At most ${moneyText(cost)}` : "Its price is not known.";
