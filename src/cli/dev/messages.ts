import type { ErrorReport } from "../terminal/exit";
import type { LiveLine, ShownMissions } from "./live-line";
import type { OpenCall } from "./open-calls";

/** The messages between `navigator dev` and its process, which has the project's code. */

/**
 * How long calls without an effect that are open in code which was replaced may take, in ms. Those with an effect have until their own
 * time limit.
 */
export const LAST_CALLS_MS = 30_000;

/** Where the page is. `isNamed`: on this port and no other. */
export interface PagePlace {
  port: number;
  isNamed: boolean;
  temporalUi: string | null;
}

/** A message of the command to its process. */
export type ToCodeProcess =
  /** Do the work, and serve the page. `isNeeded`: without a page it ends. null: no page is wanted. */
  | { type: "serve"; page: (PagePlace & { isNeeded: boolean }) | null }
  /** Show the missions that are open or began after `since` (ms since 1970), without the facts that were shown before. */
  | { type: "log"; since: number; progress: ShownMissions; isTerminal: boolean }
  /** Take no new work, finish what is open, and end. */
  | { type: "stop" };

/** A message of the process. All but the lines of the log and the open calls come at most once. */
export type FromCodeProcess =
  /** The project's code is loaded. `files`: what it was loaded from; `folders`: where JSON files are part of it. */
  | {
      type: "loaded";
      files: string[];
      folders: string[];
      agents: string[];
      tools: string[];
      project: string | null;
      taskQueue: string;
    }
  /** It cannot be loaded. */
  | { type: "failed"; error: ErrorReport }
  /** The worker runs. `running`: the missions that run now; null: the server did not answer. */
  | {
      type: "serving";
      page: { link: string; port: number; tokenFile: string | null } | { error: ErrorReport } | null;
      running: string[] | null;
    }
  | { type: "log"; line: LiveLine }
  /** What is called now: each time when a call begins or ends. */
  | { type: "open_calls"; calls: OpenCall[] }
  /** The page is closed: another may have its port. The log is, too. */
  | { type: "page_closed" }
  /** It takes no new work any more. */
  | { type: "drained" };
