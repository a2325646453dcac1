import { createHash } from "node:crypto";
import path from "node:path";
import { cutText } from "../../core/base/whole-characters";
import type { Config } from "../../node/settings";

/**
 * Where the background process of a project is found: files below the home folder, which only the user may read. One for each
 * project folder, server, namespace and task queue.
 */
export interface BackgroundPlace {
  /** NAVIGATOR_HOME: the embedded server's database is in it. */
  home: string;
  /** The folder of the project. */
  folder: string;
  /** The configuration, or its folder if it has a usual name: one text for every way to name a project (`placeOfProject`). */
  project: string;
  /** Its own record (`BackgroundRecord`). */
  record: string;
  log: string;
  lock: string;
  /** A file for each session that needs it. */
  sessions: string;
}

/** Names the folder of the records and logs of background processes. */
export const backgroundFolder = (home: string): string => path.join(home, "background");

/** What a log may have. */
export const MAX_LOG_BYTES = 5_000_000;

/** @param project the configuration or the folder of the project, absolute */
export function backgroundPlace(
  {
    home,
    taskQueue,
    temporal,
    port,
    mcpWorker,
  }: Pick<Config, "home" | "taskQueue" | "temporal" | "port" | "mcpWorker">,
  { folder, project }: { folder: string; project: string },
  env: NodeJS.ProcessEnv,
): BackgroundPlace {
  const { address, namespace } = temporal;
  // One that was started without a worker does not begin to have one.
  const asked = mcpWorker ? ["worker"] : [];
  const whole = JSON.stringify([
    project,
    address ?? port,
    namespace,
    taskQueue,
    env.NAVIGATOR_PROJECT ?? null,
    ...asked,
  ]);
  const name = path.basename(folder).replace(/[^A-Za-z0-9_-]+/g, "-") || "project";
  const key = `${cutText(name, 40)}-${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
  return placeOfRecord(path.join(backgroundFolder(home), `${key}.json`), { home, folder, project });
}

/** The place of the process that has this file. */
export function placeOfRecord(
  record: string,
  where: Pick<BackgroundPlace, "home" | "folder" | "project">,
): BackgroundPlace {
  const base = record.replace(/\.json$/, "");
  return { ...where, record, log: `${base}.log`, lock: `${base}.lock`, sessions: `${base}.sessions` };
}
