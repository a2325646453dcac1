import { useState } from "preact/hooks";
import type { AskedEffects } from "../../../../src/client/mission-effects";
import type { ShownEffect } from "../../../../src/core/history/trace/mission-effects";
import type { EffectReasons } from "../../../../src/core/history/why/effect-reasons";
import { get, runPath } from "../../api/request";
import { Program, Value } from "../../parts/code";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { moneyText, Time } from "../../parts/text";
import { missionAddress, reviewAddress } from "../../router";

type EffectsOfRun = AskedEffects & { summary: string };

const STATE_CLASS: { readonly [state: string]: string } = {
  done: "state-completed",
  undone: "",
  intended: "state-running",
  unknown: "state-waiting",
  failed: "state-failed",
  refused: "state-failed",
};
const STATE_WORDS: { readonly [state: string]: string } = { intended: "under way", unknown: "outcome unknown" };

/** What it did to the world, each effect once; what nobody knows stands first. */
export function Effects({ workflowId, changes }: { workflowId: string; changes: number }) {
  const loaded = useLoaded(
    `effects ${workflowId}`,
    (signal) => get<EffectsOfRun>(runPath(workflowId, "/effects"), {}, signal),
    {
      changes,
    },
  );
  return (
    <Show of={loaded} what="the effects">
      {({ ledger, summary, effects, questions }) =>
        !ledger ? (
          <Empty title="Nothing is known of its effects.">
            <p>It has no ledger: only missions and the runs below them keep one.</p>
          </Empty>
        ) : effects.length === 0 ? (
          <Empty title="It did nothing to the world.">
            <p>Tools with an effect (idempotent, write, irreversible) would be listed here.</p>
          </Empty>
        ) : (
          <section aria-label="Effects">
            <p>{summary}</p>
            <ul class="effects">
              {inOrder(effects).map((effect) => (
                <li key={effect.key} class="panel">
                  <Effect
                    effect={effect}
                    workflowId={workflowId}
                    review={questions.find(({ key }) => key === effect.key)?.review}
                  />
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Show>
  );
}

const isUnknown = ({ state }: ShownEffect): boolean => state === "unknown";
const inOrder = (effects: readonly ShownEffect[]): ShownEffect[] => [
  ...effects.filter(isUnknown),
  ...effects.filter((one) => !isUnknown(one)),
];

function Effect({
  effect,
  workflowId,
  review,
}: {
  effect: ShownEffect;
  workflowId: string;
  review: string | undefined;
}) {
  const { tool, state, effect: kind, args, answer, message, by, at, run, turn, task, undone, reused } = effect;
  const [isWhy, setWhy] = useState(false);
  return (
    <>
      <h2>
        <code>{tool}</code> <span class={`state ${STATE_CLASS[state] ?? ""}`}>{STATE_WORDS[state] ?? state}</span>{" "}
        {kind === "irreversible" && <span class="state state-waiting">irreversible</span>}
      </h2>
      <dl class="call-facts">
        {args !== undefined && (
          <>
            <dt>Arguments</dt>
            <dd>
              <Value of={args} />
            </dd>
          </>
        )}
        {answer !== undefined && (
          <>
            <dt>Answer</dt>
            <dd>
              <Value of={answer} />
            </dd>
          </>
        )}
        {message !== undefined && (
          <>
            <dt>Why</dt>
            <dd>{message}</dd>
          </>
        )}
        {undone !== undefined && (
          <>
            <dt>Undone</dt>
            <dd>
              <Value of={undone} />
            </dd>
          </>
        )}
      </dl>
      <p class="quiet">
        <Time at={at} />, turn {turn}
        {task !== undefined && `, in the task "${task}"`}
        {by !== undefined && `, by ${by}`}
        {reused !== undefined && `, its answer was given again ${reused} times`}
        {run !== undefined && run !== workflowId && (
          <>
            , in <a href={missionAddress(run)}>{run}</a>
          </>
        )}
      </p>
      {review !== undefined && (
        <p>
          <a href={reviewAddress(review)}>Somebody is asked about it</a>
        </p>
      )}
      <details onToggle={(event) => setWhy(event.currentTarget.open)}>
        <summary>Why it came about</summary>
        {isWhy && <Why workflowId={workflowId} effect={effect.key} />}
      </details>
    </>
  );
}

function Why({ workflowId, effect }: { workflowId: string; effect: string }) {
  const why = useLoaded(`why ${effect}`, (signal) =>
    get<{ reasons: EffectReasons[] }>(runPath(workflowId, "/why"), { effect }, signal),
  );
  return (
    <Show of={why} what="the reasons">
      {({ reasons }) =>
        reasons.map(({ model, turn, program, reviews, budget, work, missing }) => (
          <div key={effect}>
            <p>
              {model === null ? "No model wrote the program" : `The model ${model} wrote the program`}, in turn {turn}
              {work !== null && `, for ${work.step} of ${work.workflow_id}`}
              {budget.turn_cost !== undefined && `; the turn cost ${moneyText(budget.turn_cost)}`}.
            </p>
            {program !== null && <Program code={program} />}
            {reviews.map(({ id, title, votes }) => (
              <p key={id}>
                <a href={reviewAddress(id)}>{title}</a>:{" "}
                {votes
                  .map((vote) => `${vote.choice} by ${vote.by}${vote.verified ? ", verified" : ", not verified"}`)
                  .join("; ")}
              </p>
            ))}
            {missing.length > 0 && <p class="quiet">Not known: {missing.join("; ")}.</p>}
          </div>
        ))
      }
    </Show>
  );
}
