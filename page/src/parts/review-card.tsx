import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isObject } from "../../../src/core/base/is-object";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { commentsOf } from "../../../src/core/review/comments";
import { isIrreversible } from "../../../src/core/review/review";
import type { RecordedDecision, Review } from "../../../src/core/review/review-schema";
import { draftOf, textsOf } from "./arguments-draft";
import { ArgumentsForm } from "./arguments-form";
import { Changes, editedBy } from "./changes";
import { Value } from "./code";
import { useKeys } from "./keys";
import { Markdown } from "./markdown";
import { ProblemNote } from "./problem";
import { type ReviewForm, reviewForm, valueOfForm } from "./review-change";
import { Age, Time } from "./text";
import "./review-card.css";

/**
 * One review, and what a person does about it. It knows neither the API nor MCP: its parent decides whose decision it is, and
 * sends it. So the page and the app in a chat show the same card.
 */

/** The decision of a person with a button of the card. */
export interface CardDecision {
  choice: string;
  note?: string;
  value?: Json;
}

/** Whose decision it would be. */
export type CardDecider =
  | { kind: "person"; person: string }
  /** The project has no people: it counts, and everybody sees that it is not verified. */
  | { kind: "unverified" }
  /** `hasDecided`: because they have decided already, which is nothing to warn about. */
  | { kind: "nobody"; why: string; hint?: string; hasDecided?: boolean };

export interface ReviewCardProps {
  review: Review;
  decider: CardDecider;
  /** Sends the decision. The card shows why it was refused, and keeps what is filled in. */
  decide(sent: CardDecision): Promise<unknown>;
  /** More facts, after those of the review itself: the mission, its cost so far. */
  facts?: readonly (readonly [string, preact.ComponentChildren])[];
  /** Why it is asked, what was decided before: between what is asked and the buttons. */
  children?: preact.ComponentChildren;
  /** Further buttons: to delegate, to comment. */
  actions?: preact.ComponentChildren;
  /** false: a, e and r do nothing. */
  hasKeys?: boolean;
  /** Where what is filled in is kept, so that it is still there after an error, or when the person comes back. */
  kept?: KeptDraft;
}

/** What is filled in on a card. */
export interface CardDraft {
  note: string;
  /** Of the form, by field; absent: nothing is edited. */
  texts?: { [field: string]: string };
}

export interface KeptDraft {
  read(): CardDraft | null;
  write(draft: CardDraft | null): void;
}

export function ReviewCard(props: ReviewCardProps) {
  // Another review, or another seal: what was filled in belongs to the one before.
  return <Card key={`${props.review.id} ${props.review.seal ?? ""}`} {...props} />;
}

function Card({ review, decider, decide, facts = [], children, actions, hasKeys = true, kept }: ReviewCardProps) {
  const form = reviewForm(review);
  const fields = form?.fields ?? [];
  const [before] = useState(() => kept?.read() ?? null);
  const [draft, setDraft] = useState(() => draftOf(fields, before?.texts ?? textsOf(fields, form?.given ?? {})));
  const [isEditing, setEditing] = useState(form !== null && (form.kind !== "edit" || before?.texts !== undefined));
  const [note, setNote] = useState(before?.note ?? "");
  /** The choice of Ctrl and Enter. */
  const [picked, setPicked] = useState<string | undefined>();
  const [state, setState] = useState<{ sent?: string; error?: unknown }>({});
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const noteField = useRef<HTMLTextAreaElement>(null);
  const yesButton = useRef<HTMLButtonElement>(null);
  const isOpen = review.status === "open";
  const mayDecide = isOpen && decider.kind !== "nobody";
  const problem = isEditing ? Object.keys(draft.problems)[0] : undefined;
  const value = form === null || !isEditing ? undefined : valueOfForm(form, draft.value);

  const send = (choice: string) => {
    if (!mayDecide || state.sent !== undefined) return;
    const takesValue = choice === form?.choice && isEditing;
    if (takesValue && problem !== undefined)
      return setState({ error: new Error(`"${problem}" is not filled in right.`) });
    setState({ sent: choice });
    const sent = {
      choice,
      ...(note.trim() === "" ? {} : { note: note.trim() }),
      ...(takesValue && value !== undefined ? { value } : {}),
    };
    decide(sent).then(
      () => {
        kept?.write(null);
        setState({});
        title.current?.focus();
      },
      (error: unknown) => setState({ error }),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: kept when something was filled in
  useEffect(() => {
    if (!isOpen) return;
    const isBlank = note === "" && !(isEditing && Object.keys(draft.texts).some((one) => draft.texts[one] !== ""));
    kept?.write(isBlank ? null : { note, ...(isEditing ? { texts: draft.texts } : {}) });
  }, [note, isEditing, draft]);
  const edit = () => mayDecide && form?.kind === "edit" && setEditing(true);
  // Before it is painted: what is typed at once must not reach another field.
  useLayoutEffect(() => {
    if (isEditing && form?.kind === "edit")
      card.current
        ?.querySelector<HTMLElement>(".review-form input, .review-form textarea, .review-form select")
        ?.focus();
  }, [isEditing, form?.kind]);
  const yes = form?.choice ?? review.choices[0];
  const no = review.choices.find((choice) => choice === "reject") ?? review.choices.find((choice) => choice !== yes);
  useKeys(
    hasKeys && mayDecide
      ? {
          // A key that slipped must do nothing that cannot be taken back: Enter does it then.
          a: () => (canBeTakenBack(review) ? yes !== undefined && send(yes) : yesButton.current?.focus()),
          e: edit,
          r: () => {
            setPicked(no);
            noteField.current?.focus();
          },
        }
      : {},
  );
  const typed = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLElement && TYPED.has(event.target.tagName);
    if (event.key === "Escape") {
      if (isTyping) title.current?.focus();
      else if (isEditing && form?.kind === "edit") setEditing(false);
      else return;
      // What is around the card does not close, too.
      event.stopPropagation();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const choice = event.target === noteField.current ? (picked ?? yes) : yes;
      if (choice === undefined) return;
      event.preventDefault();
      send(choice);
    }
  };

  return (
    <article
      class="review-card panel"
      ref={card}
      aria-labelledby="review-title"
      aria-busy={state.sent !== undefined}
      onKeyDown={typed}
    >
      <h2 id="review-title" ref={title} tabIndex={-1}>
        {review.title}
      </h2>
      {isIrreversible(review) && <p class="review-warning">What this call does cannot be taken back.</p>}
      <blockquote class="review-words" aria-label="What the mission wrote">
        <Markdown text={bodyOf(review, form)} />
      </blockquote>
      {form !== null && form.kind === "edit" && !isEditing && <Arguments of={form.given} />}
      {form !== null && isEditing && isOpen && (
        <div class="review-form">
          <ArgumentsForm
            id="review-argument"
            fields={fields}
            draft={draft}
            changed={setDraft}
            {...(form.kind === "edit" ? { before: form.given } : {})}
          />
        </div>
      )}
      <Facts review={review} more={facts} />
      {children}
      <Votes review={review} />
      {state.error !== undefined && <ProblemNote error={state.error} />}
      {isOpen && decider.kind === "nobody" && (
        <p class={decider.hasDecided ? "quiet" : "review-nobody"}>
          {!decider.hasDecided && "You cannot decide this here. "}
          {decider.why} {decider.hint}
        </p>
      )}
      {mayDecide && (
        <>
          <div class="field">
            <label for="review-note">
              Note <span class="quiet">kept with the decision, may be left out</span>
            </label>
            <textarea
              id="review-note"
              ref={noteField}
              rows={2}
              value={note}
              aria-describedby="review-note-keys"
              onInput={(event) => setNote(event.currentTarget.value)}
            />
            <p class="note" id="review-note-keys">
              {hasKeys && `Ctrl and Enter: ${picked ?? yes}`}
            </p>
          </div>
          <div class="row review-actions">
            {review.choices.map((choice) => (
              <button
                key={choice}
                ref={choice === yes ? yesButton : null}
                type="button"
                class={choice === yes ? "main" : choice === "reject" ? "danger" : ""}
                disabled={state.sent !== undefined}
                onClick={() => send(choice)}
              >
                {state.sent === choice
                  ? "Sending …"
                  : buttonText(choice, choice === form?.choice ? changesIn(value, form.kind) : 0)}
              </button>
            ))}
            {form?.kind === "edit" && (
              <button
                type="button"
                disabled={state.sent !== undefined}
                onClick={() => {
                  if (isEditing) setDraft(draftOf(fields, textsOf(fields, form.given)));
                  setEditing(!isEditing);
                }}
              >
                {isEditing ? "Leave it as it was" : "Edit"}
              </button>
            )}
            {actions}
          </div>
          <p class="quiet review-whose">
            {decider.kind === "person" ? (
              <>
                You decide as <strong>{decider.person}</strong>.
              </>
            ) : (
              "Your decision is unverified: the project has no people."
            )}
          </p>
        </>
      )}
    </article>
  );
}

/** A yes to a call can, until the call begins; an answer cannot. */
const canBeTakenBack = (review: Review): boolean => review.sealed !== undefined && !isIrreversible(review);

const TYPED: ReadonlySet<string> = new Set(["INPUT", "TEXTAREA", "SELECT"]);

const changesIn = (value: Json | undefined, kind: ReviewForm["kind"]): number =>
  kind === "edit" && isObject(value) ? Object.keys(value).length : 0;

/** `approve` -> `Approve`, and with changed arguments `Approve with 2 changes`. */
function buttonText(choice: string, changes: number): string {
  const text = choice.charAt(0).toUpperCase() + choice.slice(1).replaceAll("_", " ");
  return changes === 0 ? text : `${text} with ${changes} change${changes === 1 ? "" : "s"}`;
}

/** The text of a review. The form shows the arguments that can be edited, so the text leaves them out. */
function bodyOf({ body }: Review, form: ReviewForm | null): string {
  return form?.kind === "edit" ? body.replace(/```json\n[\s\S]*?\n```\n*/, "") : body;
}

function Arguments({ of }: { of: JsonObject }) {
  return (
    <dl class="review-arguments">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Facts({ review, more }: { review: Review; more: readonly (readonly [string, preact.ComponentChildren])[] }) {
  const { assignees = [], quorum = 1, requestedBy, createdAt, closedAt, expiresAt, onTimeout, seal } = review;
  const own: [string, preact.ComponentChildren][] = [
    ["For", assignees.length === 0 ? "anyone" : assignees.join(", ")],
    ...(quorum > 1 ? [["Needs", `${quorum} people who agree`] as [string, string]] : []),
    ...(requestedBy === undefined ? [] : [["Asked by", requestedBy] as [string, string]]),
    ["Waiting", <Age key="age" since={createdAt} until={closedAt} />],
    ...(expiresAt === undefined
      ? []
      : [
          [
            "Until",
            <span key="until">
              <Time at={expiresAt} />
              {onTimeout === undefined ? "" : `, then ${onTimeout}`}
            </span>,
          ] as [string, preact.ComponentChildren],
        ]),
  ];
  return (
    <dl class="review-facts">
      {[...own, ...more].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {seal !== undefined && (
        <div>
          <dt>Seal</dt>
          <dd>
            <code>{seal}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Votes, comments, and the decision. */
function Votes({ review }: { review: Review }) {
  const { votes = [], decision, status } = review;
  const shown = decision === undefined ? votes : [decision];
  const comments = commentsOf(review);
  if (shown.length === 0 && comments.length === 0 && status !== "withdrawn") return null;
  return (
    <ul class="review-votes">
      {comments.map(({ by, at, text }) => (
        <li key={`${by} ${at}`}>
          <strong>{by}</strong>{" "}
          <span class="quiet">
            <Time at={at} />
          </span>
          : {text}
        </li>
      ))}
      {shown.map((one) => (
        <li key={`${one.by} ${one.at}`}>
          <Vote of={one} isFinal={decision !== undefined} args={review.data.args} />
        </li>
      ))}
      {status === "withdrawn" && <li>It is no longer needed: the work took another path.</li>}
    </ul>
  );
}

function Vote({
  of: { choice, by, at, note, principal, value },
  isFinal,
  args,
}: {
  of: RecordedDecision;
  isFinal: boolean;
  /** Of the call that was asked about: an edit is shown as what it changes. */
  args: Json | undefined;
}) {
  return (
    <>
      <span class={choice === "reject" ? "state state-failed" : "state state-completed"}>{choice}</span>{" "}
      {isFinal ? "decided by" : "vote of"} <strong>{by}</strong>
      {principal !== undefined && (
        <span class="quiet">
          {" "}
          {principal.verified ? "verified" : "unverified"}, via {principal.via}
        </span>
      )}{" "}
      <span class="quiet">
        <Time at={at} />
      </span>
      {note !== undefined && <>: {note}</>}
      {isObject(args) && isObject(value) ? (
        <Changes from={args} to={editedBy(args as JsonObject, value)} />
      ) : (
        value !== undefined && value !== null && <Value of={value} />
      )}
    </>
  );
}
