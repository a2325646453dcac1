import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { ownPlace } from "../../src/node/http/own-place";
import type { WebSession } from "../../src/web/routes/session";
import { get, post, RequestError, setCsrf } from "./api/request";
import { ProblemNote } from "./parts/problem";
import { decoded, go, usePlace } from "./router";

/** Who the page's person is, and how to log out. */
export interface PageSession extends WebSession {
  logOut(): void;
}

const SessionContext = createContext<PageSession | null>(null);

/** The session: everything below `WithSession` has one. */
export function useSession(): PageSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("There is no session here.");
  return session;
}

type State = { is: "asked" } | { is: "in"; session: WebSession } | { is: "out"; error?: unknown; hasOidc: boolean };

/** Shows its children to a visitor who is logged in, and asks everybody else to log in. */
export function WithSession({ children }: { children: preact.ComponentChildren }) {
  const [state, setState] = useState<State>({ is: "asked" });
  /** Somebody came with a link, so the page reports a token that does not count. */
  const byLink = useRef(false);
  const enter = (session: WebSession) => {
    setCsrf(session.csrf);
    if (location.pathname === "/login") go(ownPlace(new URLSearchParams(location.search).get("to")), true);
    setState({ is: "in", session });
  };
  const refused = (error: unknown) => {
    const problem = error instanceof RequestError ? error.problem : undefined;
    const hasOidc = problem?.details?.oidc === true;
    const isShown = problem?.code !== "unauthenticated" || byLink.current;
    setState(isShown ? { is: "out", error, hasOidc } : { is: "out", hasOidc });
  };
  const logIn = (token: string) => post<WebSession>("/api/session", { token }).then(enter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the page is opened
  useEffect(() => {
    const begin = () => {
      const token = launchToken();
      byLink.current = token !== null;
      if (token !== null) logIn(token).catch(refused);
      return token !== null;
    };
    if (!begin()) get<WebSession>("/api/session").then(enter, refused);
    // Another link that is opened in this tab changes only the part after the #.
    addEventListener("hashchange", begin);
    // A browser whose session is over finds out with its next request.
    const over = () => void get<WebSession>("/api/session").then(enter, refused);
    addEventListener("navigator:session-over", over);
    return () => {
      removeEventListener("hashchange", begin);
      removeEventListener("navigator:session-over", over);
    };
  }, []);
  if (state.is === "asked") return <p class="loading">Looking who you are …</p>;
  if (state.is === "out")
    return <LogIn key={String(state.error)} logIn={logIn} hasOidc={state.hasOidc} first={state.error} />;
  const logOut = () =>
    void fetch("/api/session", { method: "DELETE", headers: { "x-navigator-csrf": state.session.csrf } }).then(() =>
      get<WebSession>("/api/session").then(enter, refused),
    );
  return <SessionContext.Provider value={{ ...state.session, logOut }}>{children}</SessionContext.Provider>;
}

const isLaunch = (): boolean => location.pathname === "/login" && location.hash.startsWith("#token=");

/** The token of a link that `navigator dev` printed. It leaves the address at once, so that nobody copies it with the address. */
function launchToken(): string | null {
  if (!isLaunch()) return null;
  const token = decoded(location.hash.slice("#token=".length));
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}

function LogIn({
  logIn,
  hasOidc,
  first,
}: {
  logIn: (token: string) => Promise<void>;
  hasOidc: boolean;
  first: unknown;
}) {
  const { parts, query } = usePlace();
  const wasRefused = query.get("refused") === "oidc";
  const [token, setToken] = useState("");
  const [error, setError] = useState(first);
  const [isBusy, setBusy] = useState(false);
  const to = parts[0] === "login" ? "/" : location.pathname + location.search;
  return (
    <main class="narrow" tabIndex={-1}>
      <h1>Log in to Mission Control</h1>
      {wasRefused && (
        <p class="problem" role="alert">
          Your organisation's login did not let you in here. Try it again, or ask who looks after this project whether
          people.yaml has you.
        </p>
      )}
      {error !== undefined && <ProblemNote error={error} />}
      {hasOidc && (
        <p>
          <a class="button main" href={`/api/session/oidc?to=${encodeURIComponent(to)}`}>
            Log in with your organisation
          </a>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          logIn(token.trim())
            .catch(setError)
            .finally(() => setBusy(false));
        }}
      >
        <p class="field">
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </p>
        <p>
          <button type="submit" class="main" disabled={isBusy}>
            {isBusy ? "Logging in …" : "Log in"}
          </button>
        </p>
      </form>
      <p class="quiet">
        On this machine, <code>navigator dev</code> prints a link that logs you in. For a server, a token of your own
        comes from <code>navigator token create NAME</code>.
      </p>
    </main>
  );
}
