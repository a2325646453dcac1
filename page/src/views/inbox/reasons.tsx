import type { LikeCase, LikeCases } from "../../../../src/client/review/like-cases";
import type { ReviewReasons } from "../../../../src/client/review/review-reasons";
import { isObject } from "../../../../src/core/base/is-object";
import type { JsonObject } from "../../../../src/core/base/json";
import type { PastReview } from "../../../../src/core/history/why/reviews-in-history";
import type { Review } from "../../../../src/core/review/review-schema";
import { Changes, editedBy } from "../../parts/changes";
import { Program, Value } from "../../parts/code";
import { Show, useLoaded } from "../../parts/loaded";
import { Markdown } from "../../parts/markdown";
import { countText, moneyText, Time } from "../../parts/text";
import { missionAddress, reviewAddress } from "../../router";
import { readLikeCases, readReasons } from "./requests";

/** Why a review is asked. It is read from the history, so it comes after the call itself. */
export function Reasons({ review, workflowId }: { review: Review; workflowId: string }) {
  const reasons = useLoaded(`reasons ${review.id}`, (signal) => readReasons(review.id, signal));
  return (
    <section class="inbox-why" aria-labelledby="why-asked">
      <h3 id="why-asked">Why it is asked</h3>
      <Show of={reasons} what="the program">
        {(value) => <Why of={value} review={review} workflowId={workflowId} />}
      </Show>
    </section>
  );
}

/** What was decided before in cases like this one. */
export function DecidedBefore({ review }: { review: Review }) {
  const cases = useLoaded(`cases ${review.id}`, (signal) => readLikeCases(review.id, signal));
  return (
    <section class="inbox-why" aria-labelledby="like-cases">
      <h3 id="like-cases">Decided before in like cases</h3>
      <Show of={cases} what="the cases before">
        {(value) => <Cases of={value} review={review} />}
      </Show>
    </section>
  );
}

function Why({ of, review, workflowId }: { of: ReviewReasons; review: Review; workflowId: string }) {
  const { asked, task, before, refused } = of;
  return (
    <>
      {asked !== null && (
        <>
          <p>
            <strong>{asked.agent ?? "An agent"}</strong>
            {asked.description !== undefined && `: ${asked.description}`}
            {asked.turn !== undefined && `, turn ${asked.turn}`} in{" "}
            <a href={missionAddress(workflowId)}>{workflowId}</a>
          </p>
          {asked.context !== undefined && isFilled(asked.context) && (
            <div>
              <span class="quiet">It was given</span> <Value of={asked.context} />
            </div>
          )}
          {asked.known.length > 0 && (
            <div>
              <span class="quiet">It knew, from the turn before</span> <Value of={asked.known.join("\n")} />
            </div>
          )}
          {asked.said !== undefined && (
            <blockquote aria-label="The model's text">
              <Markdown text={asked.said} />
            </blockquote>
          )}
          {asked.program === null ? (
            <p class="quiet">The call came without a program.</p>
          ) : (
            <Program code={asked.program} marked={asked.lines} />
          )}
          <p class="quiet">
            Spent until now: {countText(asked.spent.tokens)} tokens in {asked.spent.turns}{" "}
            {asked.spent.turns === 1 ? "turn" : "turns"}
            {asked.spent.cost !== undefined && `, ${moneyText(asked.spent.cost)}`}
            {asked.model !== undefined && ` (${asked.model})`}. {limitText(asked.budget)}
          </p>
        </>
      )}
      {task !== undefined && (
        <>
          <p>
            Task <a href={missionAddress(workflowId)}>{workflowId}</a> on <strong>{task.graph}</strong>, for{" "}
            {task.issue}
          </p>
          {isFilled(task.context) && <Value of={task.context} />}
        </>
      )}
      {before.length > 0 && (
        <>
          <p>Asked before in the same work:</p>
          <ul class="inbox-cases">
            {before.map((one) => (
              <li key={one.id}>
                <Past of={one} review={review} />
              </li>
            ))}
          </ul>
        </>
      )}
      {refused.length > 0 && (
        <p class="quiet">
          {countText(refused.length)} decisions that came as signals were refused, and counted for nothing.
        </p>
      )}
    </>
  );
}

const isFilled = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;

function limitText(budget: JsonObject | null): string {
  if (budget === null) return "No budget was set.";
  const { tokens, cost } = budget;
  const parts = [
    ...(typeof tokens === "number" ? [`${countText(tokens)} tokens`] : []),
    ...(typeof cost === "number" ? [moneyText(cost)] : []),
  ];
  return `Its budget: ${parts.join(", ")}.`;
}

function Cases({ of: { cases, looked_at, more }, review }: { of: LikeCases; review: Review }) {
  const looked = `Looked through ${more ? "the newest " : ""}${countText(looked_at)} missions of the same kind${more ? "; there are older ones." : "."}`;
  if (cases.length === 0) return <p class="quiet">None was found. {looked}</p>;
  return (
    <>
      <ul class="inbox-cases">
        {cases.map((one) => (
          <li key={one.id}>
            <Past of={one} review={review} />
          </li>
        ))}
      </ul>
      <p class="quiet">{looked}</p>
    </>
  );
}

/** One that was decided, how it differs from what is asked now, and what people made of it. */
function Past({ of, review }: { of: PastReview | LikeCase; review: Review }) {
  const { id, votes, state, args, asked_at } = of;
  return (
    <>
      <a href={reviewAddress(id)}>{id}</a> <Time at={asked_at} />
      {state === "withdrawn" && votes.length === 0 && <span class="quiet"> no longer needed</span>}
      {votes.map((vote) => (
        <div key={`${vote.by} ${vote.at}`}>
          <span class={vote.choice === "reject" ? "state state-failed" : "state state-completed"}>{vote.choice}</span>{" "}
          by <strong>{vote.by}</strong>
          {vote.note !== undefined && `: ${vote.note}`}
          {args !== undefined && (
            <Changes from={args} to={editedBy(args, vote.value)} what="Changed before it was approved:" />
          )}
        </div>
      ))}
      <Changes from={args} to={review.data.args} what="Then, and now:" />
    </>
  );
}
