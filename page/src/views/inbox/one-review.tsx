import { useEffect, useRef, useState } from "preact/hooks";
import { isObject } from "../../../../src/core/base/is-object";
import { post, RequestError } from "../../api/request";
import { Changes, editedBy } from "../../parts/changes";
import { Show, useLoaded } from "../../parts/loaded";
import { ProblemNote } from "../../parts/problem";
import { type CardDecider, type CardDecision, ReviewCard } from "../../parts/review-card";
import { moneyText, Time } from "../../parts/text";
import { useSession } from "../../session";
import { keepSentChoice, keptDraft, sentChoice } from "./drafts";
import { DecidedBefore, Reasons } from "./reasons";
import { decide, readReview, reviewPath, type ShownReview } from "./requests";
import { Together, type TogetherAction } from "./together";

/** How often an open review is read again, in ms: somebody else may decide it. */
const EVERY_MS = 2_500;

/** One review, with what is known of it, and what its person does about it. */
export function OneReview({ id, name, decided }: { id: string; name: string; decided: () => void }) {
  const { person, has_people } = useSession();
  const whose = { person: has_people ? undefined : name || undefined };
  const shown = useLoaded(`review ${id} ${whose.person ?? ""}`, (signal) => readReview(id, whose, signal), {
    everyMs: EVERY_MS,
    isOver: ({ review }) => review.status !== "open",
  });
  return (
    <Show of={shown} what="the review">
      {(value) => (
        <Shown
          key={`${value.review.id} ${value.review.seal ?? ""}`}
          of={value}
          me={has_people ? person : name || null}
          by={whose.person}
          again={() => {
            shown.again();
            decided();
          }}
        />
      )}
    </Show>
  );
}

function Shown({
  of,
  me,
  by,
  again,
}: {
  of: ShownReview;
  me: string | null;
  /** The name that is sent, where the project has no people. */
  by: string | undefined;
  again: () => void;
}) {
  const { review, workflow_id, you } = of;
  const [action, setAction] = useState<TogetherAction | null>(null);
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState(() => sentChoice(review.id, review.seal));
  const keepSent = (choice: string | null) => {
    keepSentChoice(review.id, review.seal, choice);
    setSent(choice);
  };
  const isOpen = review.status === "open";
  const isAnswered = !isOpen || you.said !== undefined;
  // Of a decision that is taken back later, nothing waits any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: forgotten once there is an outcome
  useEffect(() => {
    if (isAnswered) keepSent(null);
  }, [isAnswered]);
  const send = async (given: CardDecision) => {
    setError(undefined);
    // A person who leaves the page before the answer finds it when they come back.
    keepSentChoice(review.id, review.seal, given.choice);
    try {
      await decide(of, given, by, me);
      keepSentChoice(review.id, review.seal, null);
    } catch (error) {
      if (!(error instanceof RequestError) || error.problem.code !== "no_worker") {
        keepSentChoice(review.id, review.seal, null);
        throw error;
      }
      // The server may have kept it, or not: from now on another choice would contradict it, also if the signal is lost.
      keepSent(given.choice);
      // As a signal it is kept, and twice the same counts once.
      await sendLater(given);
    } finally {
      again();
    }
  };
  const withdraw = () =>
    post(reviewPath(review.id, "/withdraw"), { by })
      .then(() => setError(undefined), setError)
      .finally(again);
  const sendLater = (given: CardDecision) =>
    post(reviewPath(review.id, "/decisions"), { ...given, seal: review.seal ?? null, by, as_signal: true });
  // What has begun stays, and so does a choice that nothing waits for (core/review/decide).
  const isAwaited = review.sealed !== undefined && review.decision?.choice === review.editable?.choice;
  const isMine = me !== null && review.decision?.by === me && isAwaited && review.startedAt === undefined;
  const hasVoted = me !== null && isOpen && you.said !== undefined;
  return (
    <>
      <DecidedByOthers of={of} me={me} />
      {error !== undefined && <ProblemNote error={error} />}
      {!isAnswered && sent !== null && (
        <p class="inbox-notice" role="status">
          You have decided “{sent}”, and no worker has answered yet. It counts as soon as one comes.{" "}
          <button type="button" onClick={() => keepSent(null)}>
            Decide anew: the first one may count already
          </button>
        </p>
      )}
      <ReviewCard
        review={review}
        decider={sent === null || isAnswered ? deciderOf(of, by) : SENT}
        decide={send}
        kept={keptDraft(review.id, review.seal)}
        facts={factsOf(of)}
        actions={
          <>
            {review.noHandOver !== true && of.deciders.length > 0 && (
              <button type="button" onClick={() => setAction("delegate")}>
                Delegate
              </button>
            )}
            <button type="button" onClick={() => setAction("comment")}>
              Comment
            </button>
          </>
        }
      >
        <Changed of={of} />
        {action !== null && isOpen && (
          <Together
            key={action}
            action={action}
            review={review}
            by={by}
            close={() => setAction(null)}
            done={() => {
              setAction(null);
              again();
            }}
          />
        )}
        {(hasVoted || (!isOpen && isMine)) && (
          <p>
            <button type="button" onClick={() => void withdraw()}>
              Take my decision back
            </button>
          </p>
        )}
        <Reasons review={review} workflowId={workflow_id} />
        <DecidedBefore review={review} />
      </ReviewCard>
    </>
  );
}

/** A second decision would contradict one that is on its way. */
const SENT: CardDecider = { kind: "nobody", why: "Your decision waits for a worker.", hasDecided: true };

function deciderOf({ you }: ShownReview, by: string | undefined): CardDecider {
  if (you.may) return by === undefined ? { kind: "person", person: you.person ?? "" } : { kind: "unverified" };
  return { kind: "nobody", why: you.why ?? "", ...(you.said === undefined ? {} : { hasDecided: true }) };
}

/** Shown once to a person who looks at it while somebody else decides. */
function DecidedByOthers({ of: { review }, me }: { of: ShownReview; me: string | null }) {
  const wasOpen = useRef(false);
  if (review.status === "open") wasOpen.current = true;
  const { decision, status } = review;
  if (!wasOpen.current || status === "open") return <div role="status" />;
  const isMine = decision !== undefined && decision.by === me;
  return (
    <div role="status" class="inbox-notice">
      {decision === undefined ? (
        "It is no longer needed: the work took another path."
      ) : isMine ? (
        <>
          Decided: <strong>{decision.choice}</strong>, by you.
        </>
      ) : (
        <>
          <strong>{decision.by}</strong> decided it first, at <Time at={decision.at} />:{" "}
          <strong>{decision.choice}</strong>. Nothing of yours was sent.
        </>
      )}
    </div>
  );
}

function factsOf({ deciders, due, needed, tool, you, cut, bare_votes, review }: ShownReview) {
  const groups = deciders.filter(({ word, people }) => people.length !== 1 || people[0] !== word);
  const facts: [string, preact.ComponentChildren][] = [];
  if (you.instead_of !== undefined) facts.push(["In place of", you.instead_of]);
  for (const { word, people } of groups) facts.push([word, people.length === 0 ? "nobody" : people.join(", ")]);
  if (needed > 1) facts.push(["Agreed", `${review.votes?.length ?? 0} of ${needed} people have decided`]);
  if (due !== undefined) facts.push(["Next", <Time key="due" at={due} />]);
  if ((review.reminders ?? 0) > 0) facts.push(["Reminded", `${review.reminders} times`]);
  if (tool !== undefined) facts.push(["Effect", effectText(tool)]);
  if (cut) facts.push(["Shortened", "No worker answers, so only the beginning is known."]);
  if (bare_votes) facts.push(["Votes", "What they changed, and why, needs a worker, and none answers."]);
  return facts;
}

function effectText({ effect, can_be_undone, undo_cost, is_here }: NonNullable<ShownReview["tool"]>): string {
  if (effect === "read") return "It reads, and changes nothing.";
  const undo = !is_here
    ? "This server's project does not have the tool."
    : can_be_undone
      ? `It can be undone${undo_cost === undefined ? "" : `, for ${moneyText(undo_cost)}`}.`
      : "It has no undo.";
  return `${effect === "irreversible" ? "Irreversible" : "Changes the world"}. ${undo}`;
}

/** What is not as it was when it was asked, and what people did since. */
function Changed({ of: { review, tool } }: { of: ShownReview }) {
  const { data, votes = [], decision, handedOver = [] } = review;
  const args = isObject(data.args) ? data.args : {};
  const earlier = isObject(data.earlier) ? data.earlier.args : undefined;
  // The card itself shows the votes until there is a decision, and then the decision.
  const earlierVotes = decision === undefined ? [] : votes.filter(({ by }) => by !== decision.by);
  return (
    <>
      {tool?.version_changed && (
        <p class="review-warning">
          The tool is another version than when this was asked: an approved call would be refused. Reject it, and let
          the work ask again.
        </p>
      )}
      <Changes from={earlier} to={args} what="What is different from the call before:" />
      {earlierVotes.map((vote) => (
        <Changes
          key={`${vote.by} ${vote.at}`}
          from={args}
          to={editedBy(args, vote.value)}
          what={`${vote.by} wants it changed:`}
        />
      ))}
      {handedOver.map(({ by, value, at, note }) => (
        <p class="quiet" key={`${by} ${at}`}>
          {by} handed it over to {isObject(value) ? String(value.to) : ""} <Time at={at} />
          {note !== undefined && `: ${note}`}
        </p>
      ))}
    </>
  );
}
