import { useEffect, useRef, useState } from "preact/hooks";
import type { Review } from "../../../../src/core/review/review-schema";
import { post } from "../../api/request";
import { ProblemNote } from "../../parts/problem";
import { reviewPath } from "./requests";

/** What people do about a review without deciding it. */
export type TogetherAction = "delegate" | "comment";

const WORDS = {
  delegate: { title: "Delegate", label: "To", note: "a person, group:NAME or lead:NAME", button: "Hand it over" },
  comment: { title: "Comment", label: "Comment", note: "everybody who sees the review reads it", button: "Send" },
} as const;

export function Together({
  action,
  review,
  by,
  close,
  done,
}: {
  action: TogetherAction;
  review: Review;
  by: string | undefined;
  close: () => void;
  done: () => void;
}) {
  const { title, label, note, button } = WORDS[action];
  const [text, setText] = useState("");
  const [state, setState] = useState<{ isBusy?: true; error?: unknown }>({});
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = () => {
    setState({ isBusy: true });
    const sent =
      action === "delegate"
        ? post(reviewPath(review.id, "/delegate"), { to: text, seal: review.seal ?? null, by })
        : post(reviewPath(review.id, "/comments"), { text, by });
    sent.then(done, (error: unknown) => setState({ error }));
  };
  return (
    <form
      class="panel"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
        }
      }}
    >
      <div class="field">
        <label for="review-together">
          {label} <span class="quiet">{note}</span>
        </label>
        <input
          id="review-together"
          ref={field}
          required
          maxLength={action === "delegate" ? 200 : 2_000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      <div class="row">
        <button type="submit" class="main" disabled={state.isBusy === true}>
          {state.isBusy ? "Sending …" : button}
        </button>
        <button type="button" onClick={close}>
          Leave it
        </button>
      </div>
    </form>
  );
}
