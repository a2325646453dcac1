import { useState } from "preact/hooks";
import { post } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { type CardDecider, ReviewCard } from "../../parts/review-card";
import { decoded, type Place, reviewAddress } from "../../router";
import { keptDraft } from "./drafts";
import type { ShownReview } from "./requests";
import "./inbox.css";

type LinkReview = ShownReview & { person: string | null };

/**
 * A review as the receiver of a notification sees it (approvals reference, section 8): it is decided with the link, once and
 * without a login. Opening it decides nothing.
 */
export function LinkReviewView({ place }: { place: Place }) {
  const review = place.parts[1] ?? "";
  // In the part of the address that no server is sent.
  const [token] = useState(() => decoded(location.hash.slice("#token=".length)));
  const shown = useLoaded(`link ${review}`, () => post<LinkReview>("/api/links/review", { review, token }));
  return (
    <>
      <h1>Your decision</h1>
      <Show of={shown} what="the review">
        {(value) => (
          <>
            {value.review.status === "decided" && (
              <p role="status" class="inbox-notice">
                Decided: <strong>{value.review.decision?.choice}</strong>, by{" "}
                <strong>{value.review.decision?.by}</strong>.
              </p>
            )}
            <ReviewCard
              review={value.review}
              decider={deciderOf(value)}
              kept={keptDraft(value.review.id, value.review.seal)}
              decide={(given) =>
                post("/api/links/decision", { review: value.review.id, token, ...given }).finally(() => shown.again())
              }
              facts={value.person === null ? [] : [["The link is for", value.person]]}
            />
            {value.person === null && (
              <p>
                <a href={reviewAddress(review)}>Log in to decide it</a>
              </p>
            )}
          </>
        )}
      </Show>
    </>
  );
}

function deciderOf({ you }: LinkReview): CardDecider {
  if (you.may && you.person !== null) return { kind: "person", person: you.person };
  return { kind: "nobody", why: you.why ?? "", ...(you.said === undefined ? {} : { hasDecided: true }) };
}
