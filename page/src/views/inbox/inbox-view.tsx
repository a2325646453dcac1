import { useRef, useState } from "preact/hooks";
import { INBOX_KINDS, kindLabel } from "../../../../src/core/review/inbox/inbox-kind";
import { reviewKind } from "../../../../src/core/review/kinds";
import type { InboxItem, Review } from "../../api/types";
import { Dialog } from "../../parts/dialog";
import { useKeys } from "../../parts/keys";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty, ProblemNote } from "../../parts/problem";
import { Age, countText } from "../../parts/text";
import { go, missionAddress, type Place, reviewAddress, setQuery } from "../../router";
import { useSession } from "../../session";
import { Bulk } from "./bulk";
import { givenName, keepName } from "./drafts";
import { OneReview } from "./one-review";
import { countInbox, type InboxCounts, type ListedInbox, readInbox, type Scope } from "./requests";
import "./inbox.css";

/** How often the list is read again, and how often it is counted, in ms. */
const EVERY_MS = 4_000;
const COUNT_EVERY_MS = 10_000;

const SCOPES: readonly [Scope, string][] = [
  ["mine", "Mine"],
  ["groups", "My groups"],
  ["all", "All"],
];

/** The open reviews: a list, and next to it the chosen review (approvals reference, section 7). */
export function InboxView({ place }: { place: Place }) {
  const { has_people, person } = useSession();
  const [name, setName] = useState(givenName);
  const chosen = place.parts[1];
  const named = has_people ? undefined : name.trim() || undefined;
  const isSomebody = has_people ? person !== null : named !== undefined;
  const scope = scopeOf(place.query.get("scope")) ?? (isSomebody ? "mine" : "all");
  const [text, kind] = [place.query.get("text") ?? undefined, place.query.get("kind") ?? undefined];
  const filter = { scope, text, kind, person: named };
  const first = useLoaded(`inbox ${JSON.stringify(filter)}`, (signal) => readInbox(filter, signal), {
    everyMs: EVERY_MS,
  });
  const counts = useLoaded(`counts ${named ?? ""}`, (signal) => countInbox({ person: named }, signal), {
    everyMs: COUNT_EVERY_MS,
  });
  const more = useMore(filter, first.value);
  const items = [...(first.value?.items ?? []), ...more.items];
  const reviews = items.flatMap(({ review }) => (review === undefined ? [] : [review]));
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [showsKeys, setShowsKeys] = useState(false);
  const at = useRef(-1);
  const found = reviews.findIndex(({ id }) => id === chosen);
  // One that was decided is no longer in the list: the next one stands in its place.
  if (found >= 0) at.current = found;

  const move = (by: 1 | -1) => {
    const from = found >= 0 ? found : by === 1 ? at.current - (chosen === undefined ? 0 : 1) : at.current;
    const next = reviews[Math.min(Math.max(from + by, 0), reviews.length - 1)];
    if (next === undefined) return;
    go(reviewAddress(next.id) + location.search, chosen !== undefined);
    document.getElementById(rowId(next.id))?.focus();
  };
  const askName = () => document.getElementById("inbox-name")?.focus();
  const mark = (id: string) => setMarked((before) => (before.has(id) ? without(before, id) : new Set([...before, id])));
  const leave = () => {
    if (chosen === undefined) return;
    go(`/inbox${location.search}`);
    requestAnimationFrame(() => document.getElementById(rowId(chosen))?.focus());
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(has_people || named !== undefined ? {} : { a: askName, e: askName, r: askName }),
    x: () => chosen !== undefined && found >= 0 && mark(chosen),
    Escape: leave,
    "?": () => setShowsKeys(true),
  });

  return (
    <>
      <div class="inbox-head">
        <h1>Inbox</h1>
        <Scopes scope={scope} counts={counts.value} />
        <input
          type="search"
          aria-label="Filter by text"
          placeholder="Filter by text"
          value={text ?? ""}
          onInput={(event) => setQuery({ text: event.currentTarget.value || undefined })}
        />
        <select
          class="inbox-kind"
          aria-label="Kind"
          value={kind ?? ""}
          onChange={(event) => setQuery({ kind: event.currentTarget.value || undefined })}
        >
          <option value="">All kinds</option>
          {INBOX_KINDS.map((one) => (
            <option key={one} value={one}>
              {kindLabel(one)}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => setShowsKeys(true)}>
          Keys
        </button>
      </div>
      {!has_people && (
        <p class="row">
          <label for="inbox-name">You decide as</label>
          <input
            id="inbox-name"
            class="inbox-name"
            value={name}
            placeholder="your name"
            onInput={(event) => {
              keepName(event.currentTarget.value);
              setName(event.currentTarget.value);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
            }}
          />
          <span class="quiet">The project has no people, so the name is taken as it is given.</span>
        </p>
      )}
      <div class={chosen === undefined ? "inbox" : "inbox is-chosen"}>
        <section class="inbox-list" aria-label="Open reviews">
          <Bulk
            reviews={reviews.filter(({ id }) => marked.has(id))}
            by={named}
            done={() => {
              setMarked(new Set());
              first.again();
            }}
          />
          <Show of={first} what="the open reviews">
            {(page) =>
              items.length === 0 ? (
                <Nothing page={page} scope={scope} isFiltered={text !== undefined || kind !== undefined} />
              ) : (
                <ul>
                  {items.map((item) => (
                    <Item
                      key={item.review?.id ?? `${item.workflow_id} ${item.kind}`}
                      of={item}
                      isChosen={item.review !== undefined && item.review.id === chosen}
                      isMarked={item.review !== undefined && marked.has(item.review.id)}
                      mark={mark}
                    />
                  ))}
                </ul>
              )
            }
          </Show>
          {more.error !== undefined && <ProblemNote error={more.error} />}
          {more.next !== undefined && (
            <p>
              <button type="button" disabled={more.isBusy} onClick={more.read}>
                {more.isBusy ? "Loading more …" : "Show more"}
              </button>
            </p>
          )}
          {(first.value?.unanswered ?? []).map(({ workflow_id, message }) => (
            <p class="quiet" key={workflow_id}>
              <a href={missionAddress(workflow_id)}>{workflow_id}</a> waits, and could not be asked: {message}
            </p>
          ))}
        </section>
        <section class="inbox-one" aria-label="The review">
          {chosen === undefined ? (
            items.length > 0 && (
              <Empty title="Choose what you want to decide.">
                <p class="quiet">
                  With the keys: <kbd>j</kbd> for the next, <kbd>?</kbd> for all keys.
                </p>
              </Empty>
            )
          ) : (
            <>
              <a class="button back" href={`/inbox${location.search}`}>
                Back to the list
              </a>
              <OneReview
                key={chosen}
                id={chosen}
                name={name.trim()}
                decided={() => {
                  first.again();
                  counts.again();
                }}
              />
            </>
          )}
        </section>
      </div>
      {showsKeys && <Keys close={() => setShowsKeys(false)} />}
    </>
  );
}

const scopeOf = (text: string | null): Scope | undefined => SCOPES.find(([scope]) => scope === text)?.[0];
const rowId = (review: string): string => `review-${encodeURIComponent(review)}`;
const without = (set: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  new Set([...set].filter((x) => x !== one));

/** The pages after the first. They begin anew with another filter. */
function useMore(filter: Parameters<typeof readInbox>[0], first: ListedInbox | undefined) {
  const key = JSON.stringify(filter);
  interface More {
    key: string;
    items: InboxItem[];
    next?: string | undefined;
    isBusy: boolean;
    error?: unknown;
    /** A page after the first was read, and `next` is of that. */
    isBegun?: true;
  }
  const empty: More = { key, items: [], isBusy: false };
  const [state, setState] = useState<More>(empty);
  const current = state.key === key ? state : empty;
  const next = current.isBegun ? current.next : first?.next;
  const read = () => {
    if (next === undefined) return;
    setState({ ...current, isBusy: true });
    readInbox({ ...filter, page: next }).then(
      (page) =>
        setState({ key, items: [...current.items, ...page.items], next: page.next, isBusy: false, isBegun: true }),
      (error: unknown) => setState({ ...current, isBusy: false, error }),
    );
  };
  const seen = new Set((first?.items ?? []).map(({ review }) => review?.id));
  const items = current.items.filter(({ review }) => review === undefined || !seen.has(review.id));
  return { items, next, read, isBusy: current.isBusy, error: current.error };
}

function Scopes({ scope, counts }: { scope: Scope; counts: InboxCounts | undefined }) {
  return (
    <fieldset class="inbox-scopes" aria-label="Assigned to">
      {SCOPES.map(([one, label]) => {
        const count = counts?.[one];
        return (
          <button type="button" key={one} aria-pressed={one === scope} onClick={() => setQuery({ scope: one })}>
            {label}
            {typeof count === "number" && ` ${countText(count)}`}
          </button>
        );
      })}
    </fieldset>
  );
}

function Item({
  of: { review, title, kind, since, assignees, due, irreversible, workflow_id, blocked },
  isChosen,
  isMarked,
  mark,
}: {
  of: InboxItem;
  isChosen: boolean;
  isMarked: boolean;
  mark: (id: string) => void;
}) {
  const text = (
    <>
      <strong>{title}</strong>
      {argumentsText(review) !== "" && <span>{argumentsText(review)}</span>}
      <span class="quiet">
        {kindLabel(kind)}
        {irreversible && <span class="warn">, cannot be taken back</span>}, for {assignees.join(", ")}
      </span>
      <span class="quiet">
        {workflow_id}, waits <Age since={since} />
        {due !== undefined && due < Date.now() && ", overdue"}
      </span>
      {blocked !== undefined && <span class="quiet">{blocked.help}</span>}
    </>
  );
  if (review === undefined)
    return (
      <li class="inbox-item">
        <a href={missionAddress(workflow_id)}>{text}</a>
      </li>
    );
  return (
    <li class="inbox-item">
      {isEqualCall(review) && (
        <input type="checkbox" aria-label={`Mark ${review.id}`} checked={isMarked} onChange={() => mark(review.id)} />
      )}
      <a
        id={rowId(review.id)}
        href={reviewAddress(review.id) + location.search}
        aria-current={isChosen ? "true" : undefined}
      >
        {text}
      </a>
    </li>
  );
}

/** The arguments of a call in a line: many calls are of the same tool. */
function argumentsText(review: Review | undefined): string {
  const args = review && reviewKind(review).about(review.data).args;
  if (args === undefined) return "";
  const text = Object.entries(args)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}

/** Calls can be decided together; other questions are each another one. */
const isEqualCall = (review: Review): boolean =>
  reviewKind(review).about(review.data).tool !== undefined && review.seal !== undefined;

function Nothing({ page, scope, isFiltered }: { page: ListedInbox; scope: Scope; isFiltered: boolean }) {
  if (page.nobody !== undefined)
    return (
      <Empty title="Nothing is yours here.">
        <p>{page.nobody}</p>
        <p>
          <button type="button" onClick={() => setQuery({ scope: "all" })}>
            Show all that waits
          </button>
        </p>
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title="Nothing that waits fits the filter.">
        <button type="button" onClick={() => setQuery({ text: undefined, kind: undefined })}>
          Show all
        </button>
      </Empty>
    );
  return (
    <Empty title={scope === "all" ? "Nothing waits for a person." : "Nothing waits for you."}>
      <p>
        When a mission needs a person, it is listed here. <a href="/start">Start one</a>, or look at the{" "}
        <a href="/missions">missions</a>.
      </p>
    </Empty>
  );
}

const KEYS: readonly [string, string][] = [
  ["j, k", "the next review, the one before"],
  ["a", "approve. Where it cannot be taken back, Enter does it then"],
  ["e", "change the arguments; Ctrl and Enter approves"],
  ["r", "reject: write why, then Ctrl and Enter"],
  ["x", "mark it, to decide several together"],
  ["Escape", "leave a field, or go back to the list"],
  ["?", "these keys"],
];

function Keys({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys of the inbox" close={close}>
      <table class="inbox-keys">
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
