import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "./api/request";
import { useLoaded } from "./parts/loaded";
import { Empty, ProblemNote } from "./parts/problem";
import { followLinks, type Place, usePlace } from "./router";
import { useSession, WithSession } from "./session";
import "./styles.css";

/** What every view is given: where the page is. */
export interface ViewProps {
  place: Place;
}
type View = ComponentType<ViewProps>;

const modules = import.meta.glob<{ [name: string]: View }>("./views/*/*-view.tsx");
const view = (file: string, name: string) => async (): Promise<View> => {
  const module = await modules[`./views/${file}.tsx`]?.();
  const found = module?.[name];
  if (found === undefined) throw new Error(`There is no view ${name} in ${file}.`);
  return found;
};

const inbox = view("inbox/inbox-view", "InboxView");
/** For a visitor with the link of one review, and no session. */
const linkReview = view("inbox/link-review-view", "LinkReviewView");
const missions = view("missions/missions-view", "MissionsView");
const mission = view("mission/mission-view", "MissionView");
const graphs = view("graphs/graphs-view", "GraphsView");
const graph = view("graphs/graph-view", "GraphView");
const start = view("start/start-view", "StartView");
const playground = view("playground/playground-view", "PlaygroundView");
const costs = view("costs/costs-view", "CostsView");
const queue = view("queue/queue-view", "QueueView");

/** The first part of an address -> its views: of the list, and of one. */
const VIEWS: { readonly [part: string]: { all: () => Promise<View>; one?: () => Promise<View> } } = {
  inbox: { all: inbox, one: inbox },
  missions: { all: missions, one: mission },
  graphs: { all: graphs, one: graph },
  start: { all: start },
  playground: { all: playground },
  costs: { all: costs },
  queue: { all: queue },
};

const LINKS = [
  ["/inbox", "Inbox"],
  ["/missions", "Missions"],
  ["/graphs", "Graphs"],
  ["/start", "Start"],
  ["/playground", "Playground"],
  ["/costs", "Costs"],
  ["/queue", "Queue"],
] as const;

function App() {
  const place = usePlace();
  const isLink = place.parts[0] === "inbox" && place.parts.length === 2 && location.hash.startsWith("#token=");
  if (isLink)
    return (
      <main class="narrow" tabIndex={-1}>
        <Lazy load={linkReview} place={place} />
      </main>
    );
  return (
    <WithSession>
      <Shell place={place} />
    </WithSession>
  );
}

function Shell({ place }: ViewProps) {
  const [first = "inbox", ...rest] = place.parts;
  const views = VIEWS[first];
  const load = rest.length === 0 ? views?.all : views?.one;
  const title = LINKS.find(([address]) => address === `/${first}`)?.[1];
  useEffect(() => {
    document.title = [...rest.slice(-1), title ?? "Mission Control"].join(" · ");
  });
  return (
    <div class="shell">
      <Navigation current={first} />
      <main id="main" tabIndex={-1}>
        {load === undefined ? (
          <Empty title="There is no such place on this page.">
            <p>
              <a href="/inbox">To the inbox</a>
            </p>
          </Empty>
        ) : (
          <Lazy key={views?.one === views?.all ? first : `${first} ${rest.length}`} load={load} place={place} />
        )}
      </main>
    </div>
  );
}

/** A view, which is loaded when it is first shown. */
function Lazy({ load, place }: { load: () => Promise<View>; place: Place }) {
  const [state, setState] = useState<{ View?: View; error?: unknown }>({});
  useEffect(() => {
    let isGone = false;
    load().then(
      (View) => !isGone && setState({ View }),
      (error: unknown) => !isGone && setState({ error }),
    );
    return () => {
      isGone = true;
    };
  }, [load]);
  if (state.error !== undefined) return <ProblemNote error={state.error} again={() => location.reload()} />;
  return state.View === undefined ? <p class="loading">Loading …</p> : <state.View place={place} />;
}

const INBOX_EVERY_MS = 10_000;

function Navigation({ current }: { current: string }) {
  const { person, has_people, logOut } = useSession();
  const open = useLoaded("open reviews", (signal) => get<{ total: number }>("/api/inbox", { size: 1 }, signal), {
    everyMs: INBOX_EVERY_MS,
  });
  return (
    <nav aria-label="Mission Control">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <ul>
        {LINKS.map(([address, name]) => (
          <li key={address}>
            <a href={address} aria-current={address === `/${current}` ? "page" : undefined}>
              {name}
              {address === "/inbox" && open.value !== undefined && open.value.total > 0 && (
                <span class="count"> {open.value.total}</span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <div class="who">
        <Scheme />
        <span class="quiet">{person ?? (has_people ? "Not a person of this project" : "You are logged in")}</span>
        <button type="button" class="plain" onClick={logOut}>
          Log out
        </button>
      </div>
    </nav>
  );
}

const SCHEME = "navigator-scheme";

/** Dark, light, or as the system has it. */
function Scheme() {
  const [scheme, setScheme] = useState(localStorage.getItem(SCHEME) ?? "system");
  useEffect(() => {
    localStorage.setItem(SCHEME, scheme);
    if (scheme === "system") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
  }, [scheme]);
  return (
    <select aria-label="Colours" value={scheme} onChange={(event) => setScheme(event.currentTarget.value)}>
      <option value="system">System colours</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}

followLinks();
render(<App />, document.getElementById("app") as HTMLElement);
