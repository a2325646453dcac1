import { get } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { moneyText } from "../../parts/text";

/** A model that a mission may be started with. */
interface KnownModel {
  name: string;
  price: { input: number; output: number } | null;
  named_by: string[];
  problem?: string;
}

/** What is chosen besides the input; texts as they are written. */
export interface StartChoices {
  model: string;
  cost: string;
  tokens: string;
  id: string;
}

export const NO_CHOICES: StartChoices = { model: "", cost: "", tokens: "", id: "" };

/** What is wrong with them, by name. */
export function choiceProblems({ cost, tokens, id }: StartChoices): Partial<StartChoices> {
  return {
    ...(cost !== "" && !(Number(cost) > 0) ? { cost: "an amount in US dollars is needed" } : {}),
    ...(tokens !== "" && !(Number.isSafeInteger(Number(tokens)) && Number(tokens) > 0)
      ? { tokens: "a whole number is needed" }
      : {}),
    ...(id.includes("/") ? { id: "an id has no /" } : {}),
  };
}

/** The parts of a request that they make. */
export const chosen = ({ model, cost, tokens, id }: StartChoices) => ({
  ...(model === "" ? {} : { model }),
  ...(id.trim() === "" ? {} : { id: id.trim() }),
  ...(cost === "" && tokens === ""
    ? {}
    : {
        budget: {
          ...(cost === "" ? {} : { cost: Number(cost) }),
          ...(tokens === "" ? {} : { tokens: Number(tokens) }),
        },
      }),
});

/** Model, budget and id. @param hasBudget tasks have no budget */
export function StartOptions({
  choices,
  changed,
  problems,
  hasBudget,
}: {
  choices: StartChoices;
  changed: (choices: StartChoices) => void;
  problems: Partial<StartChoices>;
  hasBudget: boolean;
}) {
  const field = (name: keyof StartChoices, label: string, note: string, numeric = false) => (
    <div class="field">
      <label for={`start-${name}`}>{label}</label>
      <input
        id={`start-${name}`}
        type="text"
        inputMode={numeric ? "decimal" : "text"}
        autocomplete="off"
        value={choices[name]}
        aria-invalid={problems[name] !== undefined}
        aria-describedby={`start-${name}-note`}
        onInput={(event) => changed({ ...choices, [name]: event.currentTarget.value })}
      />
      <p class="note" id={`start-${name}-note`}>
        {problems[name] ?? note}
      </p>
    </div>
  );
  return (
    <fieldset>
      <legend>How</legend>
      <div class="options">
        <ModelChoice model={choices.model} changed={(model) => changed({ ...choices, model })} />
        {hasBudget && field("cost", "At most, in US dollars", "Then it asks for more.", true)}
        {hasBudget && field("tokens", "At most, in tokens", "", true)}
        {field("id", "Id", "Empty: a new one. The same id again finds what was started.")}
      </div>
    </fieldset>
  );
}

/** Which model: the agents' own, one of the project, or one whose price is known. */
export function ModelChoice({ model, changed }: { model: string; changed: (model: string) => void }) {
  const known = useLoaded("models", (signal) =>
    get<{ models: KnownModel[]; default: string }>("/api/models", {}, signal),
  );
  return (
    <div class="field">
      <label for="start-model">Model</label>
      <Show of={known} what="the models">
        {({ models, default: usual }) => {
          const named = models.filter(({ named_by }) => named_by.length > 0);
          const others = models.filter(({ named_by }) => named_by.length === 0);
          return (
            <>
              <select
                id="start-model"
                value={model}
                aria-describedby="start-model-note"
                onChange={(event) => changed(event.currentTarget.value)}
              >
                <option value="">As in the agent, else {usual}</option>
                <optgroup label="Of this project">
                  {named.map((one) => (
                    <Choice key={one.name} {...one} />
                  ))}
                </optgroup>
                <optgroup label="Other models">
                  {others.map((one) => (
                    <Choice key={one.name} {...one} />
                  ))}
                </optgroup>
              </select>
              <p class="note" id="start-model-note">
                {models.find(({ name }) => name === model)?.problem ?? ""}
              </p>
            </>
          );
        }}
      </Show>
    </div>
  );
}

const Choice = ({ name, price }: KnownModel) => (
  <option value={name}>
    {name}
    {price === null ? "" : ` (${moneyText(price.input)} in, ${moneyText(price.output)} out, a million tokens)`}
  </option>
);
