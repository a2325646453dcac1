import { useMemo, useState } from "preact/hooks";
import type { JsonObject } from "../../../../src/core/base/json";
import { get, post, RequestError } from "../../api/request";
import { type ArgumentsDraft, draftOf, parametersOf } from "../../parts/arguments-draft";
import { ArgumentsForm } from "../../parts/arguments-form";
import { Show, useLoaded } from "../../parts/loaded";
import { ProblemNote } from "../../parts/problem";
import { countText, moneyText } from "../../parts/text";
import { go, missionAddress } from "../../router";
import { JsonField, readJsonObject } from "./json-field";
import { choiceProblems, chosen, NO_CHOICES, StartOptions } from "./start-options";

/** An agent as the API returns it, with the check of a mission. */
export interface CheckedAgent {
  name: string;
  description?: string;
  signature?: string;
  output: "ptc_lisp" | "text";
  model: string[];
  tools: {
    name: string;
    kind: string;
    effect: "read" | "idempotent" | "write" | "irreversible";
    description?: string;
    approval?: { assignees?: string[]; quorum?: number };
  }[];
  price: {
    models: string[];
    model_calls: { least: number; most: number };
    cost: { least: number; most: number } | null;
    uncounted: string[];
  };
  tools_problem?: string;
}

/** The mistakes of a refusal by field: those of the input by their names, and what belongs to none. */
function refusedFields(error: unknown): { [name: string]: string } {
  const errors = error instanceof RequestError ? error.problem.details?.errors : undefined;
  if (!Array.isArray(errors)) return {};
  return Object.fromEntries(
    (errors as { path: string; message: string }[]).map(({ path, message }) => {
      const [name = path, ...rest] = path.split(/[.[]/);
      return [name, rest.length === 0 ? message : `${path}: ${message}`];
    }),
  );
}

/** Starts a mission of an agent: its input, what it may cost, and how. */
export function AgentStart({ name }: { name: string }) {
  const [choices, setChoices] = useState(NO_CHOICES);
  const agent = useLoaded(
    `agent ${name} ${choices.model}`,
    (signal) => get<CheckedAgent>(`/api/agents/${encodeURIComponent(name)}`, { model: choices.model }, signal),
    // The form stays while the price for another model is on its way.
    { keeps: true },
  );
  return (
    <section aria-labelledby="start-what">
      <h2 id="start-what">{name}</h2>
      <Show of={agent} what="the agent">
        {(value) => <AgentForm key={name} agent={value} choices={choices} setChoices={setChoices} />}
      </Show>
    </section>
  );
}

function AgentForm({
  agent,
  choices,
  setChoices,
}: {
  agent: CheckedAgent;
  choices: typeof NO_CHOICES;
  setChoices: (choices: typeof NO_CHOICES) => void;
}) {
  const fields = useMemo(() => parametersOf(agent.signature), [agent.signature]);
  const [draft, setDraft] = useState<ArgumentsDraft>(() => draftOf(fields, {}));
  const [json, setJson] = useState("{}");
  const [state, setState] = useState<{ isChecked?: boolean; isBusy?: boolean; error?: unknown }>({});
  const free = readJsonObject(json);
  const problems = choiceProblems(choices);
  const refused = refusedFields(state.error);
  const isWrong =
    Object.keys(problems).length > 0 ||
    (fields.length === 0 ? "problem" in free : Object.keys(draft.problems).length > 0);
  const start = async (event: Event) => {
    event.preventDefault();
    if (isWrong) {
      setState({ isChecked: true });
      return;
    }
    setState({ isChecked: true, isBusy: true });
    try {
      const context: JsonObject = fields.length === 0 ? (free as { value: JsonObject }).value : draft.value;
      const path = `/api/agents/${encodeURIComponent(agent.name)}/runs`;
      const { workflow_id } = await post<{ workflow_id: string }>(path, { context, ...chosen(choices) });
      go(missionAddress(workflow_id));
    } catch (error) {
      setState({ isChecked: true, error });
    }
  };
  return (
    <form onSubmit={start} noValidate>
      {agent.description && <p>{agent.description}</p>}
      <fieldset>
        <legend>Input</legend>
        {fields.length === 0 ? (
          <JsonField
            id="start-json"
            label="Data, as JSON"
            text={json}
            changed={setJson}
            problem={"problem" in free ? free.problem : undefined}
          />
        ) : (
          <ArgumentsForm
            id="start"
            fields={fields}
            draft={draft}
            changed={setDraft}
            isChecked={state.isChecked === true}
            refused={refused}
          />
        )}
      </fieldset>
      <StartOptions choices={choices} changed={setChoices} problems={state.isChecked ? problems : {}} hasBudget />
      <PriceRange price={agent.price} />
      <Tools agent={agent} />
      {state.error !== undefined && <ProblemNote error={state.error} />}
      {state.isChecked && isWrong && (
        <p role="alert" class="quiet">
          Nothing was started: the fields above show what is missing.
        </p>
      )}
      <p class="row">
        <button type="submit" class="main" disabled={state.isBusy === true}>
          {state.isBusy ? "Starting …" : "Start the mission"}
        </button>
        <a href={`/playground?tab=prompt&agent=${encodeURIComponent(agent.name)}`}>See its prompt</a>
      </p>
    </form>
  );
}

function PriceRange({ price: { models, model_calls, cost, uncounted } }: Pick<CheckedAgent, "price">) {
  return (
    <p class="price">
      <strong>
        {cost === null
          ? `The price of ${models.join(", ")} is not known.`
          : `${moneyText(cost.least)} to ${moneyText(cost.most)}`}
      </strong>{" "}
      <span class="quiet">
        {countText(model_calls.least)} to {countText(model_calls.most)} calls of {models.join(", else ")}
        {uncounted.length === 0 ? "" : `; besides what ${uncounted.join(", ")} ask of models`}
      </span>
    </p>
  );
}

const EFFECT_WORDS = {
  read: "reads",
  idempotent: "changes something, once for each key",
  write: "changes something",
  irreversible: "cannot be taken back",
} as const;

function Tools({ agent: { tools, tools_problem } }: { agent: CheckedAgent }) {
  if (tools.length === 0) return <p class="quiet">It has no tools.</p>;
  return (
    <>
      <h3>Its tools</h3>
      {tools_problem && <p class="quiet">Some are known by their names only: {tools_problem}</p>}
      <ul class="tools">
        {tools.map(({ name, effect, approval, description }) => (
          <li key={name}>
            <code>{name}</code> {EFFECT_WORDS[effect]}
            {approval && <strong>: {approvalText(approval)}</strong>}
            {description && <span class="quiet"> {description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

const approvalText = ({ assignees, quorum }: { assignees?: string[]; quorum?: number }): string =>
  `${quorum === undefined || quorum === 1 ? "somebody" : `${quorum} people`}${assignees === undefined ? "" : ` of ${assignees.join(", ")}`} must approve each call`;
