import { hasSections, parseTemplate, referTemplate, valueAt } from "../../../../src/core/agent/definition/template";
import { isObject } from "../../../../src/core/base/is-object";
import type { JsonObject } from "../../../../src/core/base/json";
import { Value } from "../../parts/code";
import type { ShownRun } from "./run";

/** Words of what was asked that stand there at first. */
const SHORT = 280;

/** What it was asked for. */
export function Asked({ run: { asked } }: { run: ShownRun }) {
  const { prompt, mission, context, task, signature, model, budget, steps } = asked;
  const request = filled(prompt, context) ?? mission ?? titleOf(task) ?? planned(steps);
  const hasContext = isObject(context) && Object.keys(context).length > 0;
  const rows = [
    ["Input", hasContext ? context : undefined],
    ["Signature", signature],
    ["Model", model],
    ["Budget", budget],
    ["Task", task],
  ] as const;
  const shown = rows.filter(([, value]) => value !== undefined);
  return (
    <section aria-label="What it was asked">
      <h2>Asked</h2>
      {request !== undefined && (request.length <= SHORT ? <p class="asked">{request}</p> : <Long text={request} />)}
      <dl class="call-facts">
        {shown.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Value of={value} />
            </dd>
          </>
        ))}
      </dl>
      {request === undefined && shown.length === 0 && <p class="quiet">The server does not have its start any more.</p>}
    </section>
  );
}

const Long = ({ text }: { text: string }) => (
  <details>
    <summary>{text.slice(0, SHORT)}…</summary>
    <p class="asked">{text}</p>
  </details>
);

/** The prompt with its input in it. A name without a value, or with a map or list, stands as it is; so does a prompt with sections. */
function filled(prompt: string | undefined, context: unknown): string | undefined {
  if (prompt === undefined || !isObject(context)) return prompt;
  try {
    const template = parseTemplate(prompt);
    if (hasSections(template)) return prompt;
    return referTemplate(template, (path) => {
      const value = valueAt(path, context as JsonObject);
      return value === undefined || value === null || typeof value === "object" ? `{{${path}}}` : String(value);
    });
  } catch {
    return prompt;
  }
}

/** A plan that somebody wrote has no request text. */
const planned = (steps: number | undefined) =>
  steps === undefined ? undefined : `To do the plan as it was given: ${steps === 1 ? "1 step" : `${steps} steps`}.`;

function titleOf(task: unknown): string | undefined {
  if (!isObject(task)) return undefined;
  const { title, description, issueId } = task;
  return [title, description, issueId].find((one): one is string => typeof one === "string" && one !== "");
}
