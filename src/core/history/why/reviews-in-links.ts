import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import { isoTime } from "../../base/iso-time";
import type { Json } from "../../base/json";
import type { ChainLink } from "../../effects/chain/link";
import { isDigest } from "../../effects/effect-id";
import type { ReasonReview } from "./effect-reasons";

/** The reviews of the calls of an effect, with their votes, as the chain of its run shows them. */
export function reviewsInLinks(links: readonly ChainLink[], key: string): ReasonReview[] {
  const ids = new Set(
    links.flatMap(({ kind, body }) =>
      kind === "effect" && body.key === key && typeof body.review === "string" ? [body.review] : [],
    ),
  );
  return [...ids].map((id) => {
    const opened = links.find(({ kind, body }) => kind === "review" && body.id === id);
    const votes = links.filter(({ kind, body }) => kind === "decision" && body.review === id);
    return {
      id,
      title: String(opened?.body.title ?? ""),
      votes: votes.map(({ at, body: { by, as, choice, note, value, time, principal, people_version } }) => ({
        by: String(by),
        choice: String(choice),
        at: isoTime(typeof time === "number" ? Math.max(at, time) : at),
        verified: isObject(principal) && principal.verified === true,
        ...(isObject(as) && typeof as.from === "string" ? { for: as.from } : {}),
        ...defined({
          note: note as string | undefined,
          value: value as Json | undefined,
          people_version: isDigest(people_version) ? people_version : undefined,
        }),
      })),
    };
  });
}
