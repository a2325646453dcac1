import { useRef, useState } from "preact/hooks";
import type { ReviewReasons } from "../../../src/client/review/review-reasons";
import { isObject } from "../../../src/core/base/is-object";
import { TICKET_KEY } from "../../../src/core/review/card-ticket";
import type { InboxItem } from "../../../src/core/review/inbox/inbox-item";
import { kindLabel } from "../../../src/core/review/inbox/inbox-kind";
import type { Review } from "../../../src/core/review/review-schema";
import { Program, Value } from "../parts/code";
import { Show, useLoaded } from "../parts/loaded";
import { Empty } from "../parts/problem";
import { type CardDecider, type CardDecision, ReviewCard } from "../parts/review-card";
import { Age, countText, moneyText } from "../parts/text";
import { showView, type ViewProps } from "./view";

/** Somebody else may decide during that time, and a ticket does not last for ever. */
const EVERY_MS = 30_000;

/** The open reviews, and the card on which a person decides. */
function InboxView({ host, args, data }: ViewProps) {
  const only = reviewIn(data);
  const list = useLoaded("inbox", () => (only === null ? readList(host, args) : Promise.resolve(null)));
  const [chosen, setChosen] = useState<string | null>(only);
  if (only !== null) return <Card host={host} id={only} decided={() => {}} />;
  return (
    <Show of={list} what="the open reviews">
      {(page) => {
        const open = page?.open ?? [];
        const reviews = open.filter(({ review }) => review !== undefined);
        const shown = chosen ?? (reviews.length === 1 ? (reviews[0]?.review?.id ?? null) : null);
        if (open.length === 0 && shown === null)
          return (
            <Empty title="Nothing waits for a person.">
              <p class="quiet">What a mission asks people is shown here.</p>
            </Empty>
          );
        return (
          <>
            <h1>
              {open.length === 0
                ? "Nothing else waits"
                : `${countText(open.length)}${page?.next ? " and more" : ""} waiting`}
            </h1>
            {open.length > 0 && (
              <ul class="waiting">
                {open.map((one) => (
                  <li key={one.review?.id ?? `${one.workflowId} ${one.kind}`}>
                    <Waiting of={one} isShown={one.review?.id === shown} choose={setChosen} />
                  </li>
                ))}
              </ul>
            )}
            {shown !== null && (
              <Card
                key={shown}
                host={host}
                id={shown}
                decided={() => {
                  setChosen(shown);
                  list.again();
                }}
              />
            )}
          </>
        );
      }}
    </Show>
  );
}

type Listed = Omit<InboxItem, "workflow_id"> & { workflowId: string };

/** Again, as the model asked for it: its own answer may be of last week, when the chat is opened anew. */
const readList = async (host: ViewProps["host"], args: ViewProps["args"]) =>
  (await host.call<{ open: Listed[]; next?: string }>("list_reviews", args)).data;

/** The one review that a call was about; null: it was about many. */
function reviewIn(data: unknown): string | null {
  const review = isObject(data) ? data.review : undefined;
  return isObject(review) && typeof review.id === "string" ? review.id : null;
}

function Waiting({ of, isShown, choose }: { of: Listed; isShown: boolean; choose: (id: string) => void }) {
  const { review, title, kind, workflowId, since } = of;
  const text = (
    <>
      <strong>{title ?? review?.title}</strong>
      <span class="quiet">
        {kind && `${kindLabel(kind)}, `}
        {workflowId}
        {since !== undefined && (
          <>
            , <Age since={since} />
          </>
        )}
      </span>
    </>
  );
  if (review === undefined)
    return (
      <div class="waiting-one">
        {text}
        {of.blocked && <span class="quiet">{of.blocked.help}</span>}
      </div>
    );
  return (
    <button type="button" class="waiting-one" aria-pressed={isShown} onClick={() => choose(review.id)}>
      {text}
    </button>
  );
}

interface OneReview {
  workflowId: string;
  mission: string;
  review: Review;
  decider: CardDecider;
  reasons?: ReviewReasons;
  page?: string;
}

/** A review in the form for the card, with the ticket for one decision about exactly that. */
function Card({ host, id, decided }: { host: ViewProps["host"]; id: string; decided: () => void }) {
  const ticket = useRef("");
  const [after, setAfter] = useState<Review>();
  const loaded = useLoaded(
    id,
    async () => {
      const { data, meta } = await host.call<OneReview>("app_get_review", { reviewId: id });
      ticket.current = ticketIn(meta);
      setAfter(undefined);
      return data;
    },
    { everyMs: EVERY_MS, isOver: ({ review }) => review.status !== "open" },
  );
  const decide = async (chosen: CardDecision) => {
    try {
      const { data } = await host.call<{ review: Review }>("app_decide_review", { ticket: ticket.current, ...chosen });
      setAfter(data.review);
      host.report(whatHappened(data.review));
      decided();
    } catch (error) {
      // The ticket is used up. What was filled in stays, unless something else is asked now.
      loaded.again();
      throw error;
    }
  };
  return (
    <Show of={loaded} what="the review">
      {({ review, decider, mission, reasons, page }) => (
        <ReviewCard
          review={after ?? review}
          decider={decider}
          decide={decide}
          facts={[
            ["Mission", page === undefined ? mission : <Elsewhere key="page" host={host} url={page} text={mission} />],
            ...(reasons?.asked ? [["Spent so far", spentText(reasons.asked.spent)] as const] : []),
          ]}
        >
          {reasons && <Why of={reasons} />}
        </ReviewCard>
      )}
    </Show>
  );
}

function ticketIn(meta: { [field: string]: unknown }): string {
  const found = meta[TICKET_KEY];
  return isObject(found) && typeof found.ticket === "string" ? found.ticket : "";
}

/** For the model. Notes and titles are left out: what people and models write there is for people. */
const whatHappened = ({ id, decision }: Review): string =>
  decision === undefined
    ? `Somebody voted on the review ${id}. It still waits for others.`
    : `The review ${id} was decided by a person: ${decision.choice}. Read it with get_review.`;

/** A link. Frames of views cannot open one. */
function Elsewhere({ host, url, text }: { host: ViewProps["host"]; url: string; text: string }) {
  return (
    <button type="button" class="plain" onClick={() => host.open(url)}>
      {text}
    </button>
  );
}

const spentText = ({ turns, tokens, cost }: NonNullable<ReviewReasons["asked"]>["spent"]): string =>
  [
    cost === undefined ? undefined : moneyText(cost),
    `${countText(tokens)} tokens`,
    `${turns} turn${turns === 1 ? "" : "s"}`,
  ]
    .filter((one) => one !== undefined)
    .join(", ");

/** The reasons for the question: the model's text, its program, its input, and the earlier decisions. */
function Why({ of: { asked, task, before } }: { of: ReviewReasons }) {
  if (asked === null && task === undefined && before.length === 0) return null;
  return (
    <details class="why">
      <summary>Why it is asked</summary>
      {asked?.said && <p class="model-text">{asked.said}</p>}
      {asked?.program && (
        <>
          <p class="quiet">
            The program of {asked.agent ?? "the agent"}
            {asked.turn === undefined ? "" : `, turn ${asked.turn}`}
            {asked.model === undefined ? "" : `, by ${asked.model}`}
          </p>
          <Program code={asked.program} />
        </>
      )}
      {asked?.context !== undefined && (
        <>
          <p class="quiet">What it was given</p>
          <Value of={asked.context} />
        </>
      )}
      {task && (
        <>
          <p class="quiet">
            Task on {task.graph}, about {task.issue}
          </p>
          <Value of={task.context} />
        </>
      )}
      {before.length > 0 && (
        <>
          <p class="quiet">Before, in the same work</p>
          <ul>
            {before.map(({ id, title, state, votes }) => (
              <li key={id}>
                {title} <strong>{votes.at(-1)?.choice ?? state}</strong>
                {votes.length > 0 && ` by ${votes.map(({ by }) => by).join(", ")}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

showView("inbox", InboxView);
