import { useState } from "preact/hooks";
import type { DecidedReview } from "../../../../src/client/decide-all";
import type { Review } from "../../api/types";
import { Confirm } from "../../parts/dialog";
import { ProblemNote } from "../../parts/problem";
import { decideTogether } from "./requests";

/** Decides the marked reviews together: each decision is sealed, signed and sent separately. */
export function Bulk({ reviews, by, done }: { reviews: readonly Review[]; by: string | undefined; done: () => void }) {
  const [choice, setChoice] = useState<string | null>(null);
  const [state, setState] = useState<{ isBusy?: true; error?: unknown; outcomes?: DecidedReview[] }>({});
  if (reviews.length === 0 && state.outcomes === undefined) return null;
  const [first, ...others] = reviews;
  const choices = (first?.choices ?? []).filter((one) => others.every(({ choices }) => choices.includes(one)));
  const tools = [...new Set(reviews.map(({ data }) => String(data.tool)))];
  const send = (chosen: string) => {
    setState({ isBusy: true });
    decideTogether(reviews, { choice: chosen, by }).then(
      (outcomes) => {
        setState({ outcomes });
        setChoice(null);
        done();
      },
      (error: unknown) => {
        setState({ error });
        setChoice(null);
      },
    );
  };
  const refused = (state.outcomes ?? []).flatMap((one) => (one.ok ? [] : [one]));
  return (
    <div class="inbox-bulk" role="status">
      {reviews.length > 0 && (
        <div class="row">
          <strong>{reviews.length} marked</strong>
          {tools.length > 1 ? (
            <span class="quiet">Only calls of one tool are decided together, not of {tools.join(", ")}.</span>
          ) : (
            choices.map((one) => (
              <button key={one} type="button" class={one === "reject" ? "danger" : ""} onClick={() => setChoice(one)}>
                {one.replaceAll("_", " ")} {reviews.length}
              </button>
            ))
          )}
        </div>
      )}
      {state.error !== undefined && <ProblemNote error={state.error} />}
      {state.outcomes !== undefined && (
        <p>
          {state.outcomes.length - refused.length} of {state.outcomes.length} decided.
          {refused.map((one) => (
            <span key={one.review}> {one.message}</span>
          ))}
        </p>
      )}
      {choice !== null && (
        <Confirm
          title={`${choice.replaceAll("_", " ")} ${reviews.length} calls of ${tools[0]}?`}
          text={
            <ul>
              {reviews.map(({ id, data }) => (
                <li key={id}>
                  {id}: <code>{JSON.stringify(data.args)}</code>
                </li>
              ))}
            </ul>
          }
          action={`${choice.replaceAll("_", " ")} ${reviews.length}`}
          isBusy={state.isBusy === true}
          confirm={() => send(choice)}
          close={() => setChoice(null)}
        />
      )}
    </div>
  );
}
