import { useState } from "preact/hooks";
import { post } from "../../api/request";
import { ProblemNote } from "../../parts/problem";
import { countText, moneyText } from "../../parts/text";
import { go, missionAddress } from "../../router";
import { JsonField, readJsonObject } from "./json-field";
import { choiceProblems, NO_CHOICES, StartOptions } from "./start-options";

interface CheckedPlan {
  ok: boolean;
  findings: { severity: "error" | "warning" | "info"; message: string; task_id: string | null }[];
  cost: { cost: number | null; model_calls: number } | null;
  score: number;
}

/** Starts a plan: one that is written, or one that the planner makes for a mission. It is checked before it starts. */
export function PlanStart() {
  const [mission, setMission] = useState("");
  const [text, setText] = useState("");
  const [choices, setChoices] = useState(NO_CHOICES);
  const [executor, setExecutor] = useState(false);
  const [checked, setChecked] = useState<CheckedPlan | undefined>(undefined);
  const [state, setState] = useState<{ isChecked?: boolean; isBusy?: boolean; error?: unknown }>({});
  const plan = text.trim() === "" ? undefined : readJsonObject(text);
  const problems = choiceProblems(choices);
  const isEmpty = plan === undefined && mission.trim() === "";
  const body = () => ({
    ...(plan !== undefined && "value" in plan ? { plan: plan.value } : {}),
    ...(mission.trim() === "" ? {} : { mission: mission.trim() }),
    ...(choices.model === "" ? {} : { model: choices.model }),
    ...(executor ? { executor } : {}),
  });
  const isWrong = isEmpty || (plan !== undefined && "problem" in plan) || Object.keys(problems).length > 0;
  const attempt = async (work: () => Promise<void>) => {
    if (isWrong) {
      setState({ isChecked: true });
      return;
    }
    setState({ isChecked: true, isBusy: true });
    try {
      await work();
      setState({ isChecked: true });
    } catch (error) {
      setState({ isChecked: true, error });
    }
  };
  const check = () => attempt(async () => setChecked(await post<CheckedPlan>("/api/plans/check", body())));
  const start = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      const id = choices.id.trim();
      const given = { ...body(), ...(id === "" ? {} : { id }) };
      const { workflow_id } = await post<{ workflow_id: string }>("/api/plans", given);
      go(missionAddress(workflow_id));
    });
  };
  const change = (set: (text: string) => void) => (to: string) => {
    set(to);
    setChecked(undefined);
  };
  return (
    <section aria-labelledby="start-what">
      <h2 id="start-what">A plan</h2>
      <form onSubmit={start} noValidate>
        <fieldset>
          <legend>What</legend>
          <div class="field">
            <label for="start-mission">Mission</label>
            <textarea
              id="start-mission"
              rows={3}
              value={mission}
              aria-describedby="start-mission-note"
              onInput={(event) => change(setMission)(event.currentTarget.value)}
            />
            <p class="note" id="start-mission-note">
              {state.isChecked && isEmpty
                ? "a mission or a plan is needed"
                : "What it must achieve. Without a plan, the planner makes one for it."}
            </p>
          </div>
          <JsonField
            id="start-plan"
            label="Plan, as JSON: {agents, tasks}"
            text={text}
            changed={change(setText)}
            problem={plan !== undefined && "problem" in plan ? plan.problem : undefined}
            rows={10}
          />
          <label class="row">
            <input type="checkbox" checked={executor} onChange={(event) => setExecutor(event.currentTarget.checked)} />
            Repair the plan when it fails
          </label>
        </fieldset>
        <StartOptions
          choices={choices}
          changed={setChoices}
          problems={state.isChecked ? problems : {}}
          hasBudget={false}
        />
        {checked !== undefined && <PlanCheckNote checked={checked} />}
        {state.error !== undefined && <ProblemNote error={state.error} />}
        <p class="row">
          <button type="submit" class="main" disabled={state.isBusy === true}>
            {state.isBusy ? "Working …" : "Start the plan"}
          </button>
          <button type="button" disabled={state.isBusy === true || plan === undefined} onClick={check}>
            Check it and its price
          </button>
        </p>
      </form>
    </section>
  );
}

function PlanCheckNote({ checked: { findings, cost, ok } }: { checked: CheckedPlan }) {
  return (
    <div role="status">
      <p class="price">
        <strong>
          {!ok
            ? "It cannot run as it is."
            : cost === null || cost.cost === null
              ? "Its price is not known."
              : `At most ${moneyText(cost.cost)}`}
        </strong>{" "}
        {cost !== null && <span class="quiet">{countText(cost.model_calls)} model calls at most</span>}
      </p>
      <ul class="findings">
        {findings.map(({ severity, message, task_id }) => (
          <li key={`${task_id} ${message}`}>
            <strong>{severity}</strong> {task_id !== null && <code>{task_id}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
