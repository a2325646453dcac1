import type { ErrorReport } from "../terminal/exit";

/** What `navigator dev` and its process, which has the project's code, tell each other. */

/** How long open calls of code that was replaced may take, in ms. */
export const LAST_CALLS_MS = 30_000;

/** What the command tells its process. */
export type ToDevProcess =
  /** Do the work, and serve the page on this port; `isNamed`: on no other. */
  | { type: "serve"; port: number; isNamed: boolean; temporalUi: string | null }
  /** Take no new work, finish what is open, and end. */
  | { type: "stop" };

/** What the process tells. Each message comes at most once. */
export type FromDevProcess =
  /** The project's code is loaded. `files`: what it was loaded from; `folders`: where JSON files are part of it. */
  | { type: "loaded"; files: string[]; folders: string[]; agents: string[]; tools: string[]; taskQueue: string }
  /** It cannot be loaded. */
  | { type: "failed"; error: ErrorReport }
  /** The page is there. */
  | { type: "serving"; link: string; port: number }
  /** The page is closed: another may have its port. */
  | { type: "page_closed" }
  /** It takes no new work any more. */
  | { type: "drained" };
