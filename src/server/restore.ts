import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../core/base/navigator-error";
import type { Config } from "../node/settings";
import type { BackupPlace } from "./backup";
import { type BackupSummary, badBackup, DATABASE, restoreFailed, summaryOf, unpack } from "./backup-archive";
import { finishSwap, isSwapUnderWay, swapDatabase } from "./database-swap";
import { databaseFile, protectHome, runningServer, whileServerLocked } from "./dev-server";

const WORK = "restore-";

/**
 * Replaces the database of the embedded server, which must not run, by that of a backup. The old one is kept.
 *
 * @returns the content of the backup, and where the old database is; null if there was none
 * @throws NavigatorError `local_server_failed`; `invalid_input` for a file that is no whole backup: nothing was changed then; `local_server_failed`
 */
export async function restoreServer(
  place: Omit<BackupPlace, "config"> & { config: Pick<Config, "home"> },
): Promise<BackupSummary & { kept: string | null }> {
  const { config, file, progress, signal } = place;
  const { home } = config;
  if (!existsSync(file)) throw badBackup(file, "there is no such file");
  return whileServerLocked(home, { onWait: progress, signal }, async () => {
    refuseIfRunning(home);
    protectHome(home, progress);
    finishSwap(home, progress);
    // Of commands that were killed.
    for (const name of readdirSync(home).filter((entry) => entry.startsWith(WORK) && !entry.endsWith(".json")))
      if (!name.includes(".old")) rmSync(path.join(home, name), { recursive: true, force: true });
    const work = mkdtempSync(path.join(home, WORK));
    try {
      const described = await unpack(file, work, signal);
      signal?.throwIfAborted();
      refuseIfRunning(home);
      const stamp = new Date().toISOString().replace(/[:.]/g, "-");
      const kept = existsSync(databaseFile(home)) ? `${DATABASE}.before-${stamp}` : null;
      swapDatabase(home, { work: path.basename(work), kept });
      protectHome(home, progress);
      return { file, home, ...summaryOf(described), kept: kept === null ? null : path.join(home, kept) };
    } catch (error) {
      if (signal?.aborted || error instanceof NavigatorError) throw error;
      throw restoreFailed(home, (error as Error).message, error);
    } finally {
      // A swap that could not be finished still needs it.
      if (!isSwapUnderWay(home)) rmSync(work, { recursive: true, force: true });
    }
  });
}

function refuseIfRunning(home: string): void {
  const running = runningServer(home);
  if (running === null) return;
  throw new NavigatorError("local_server_failed", `The embedded server of ${home} runs (pid ${running.pid}).`, {
    hint: "Stop the workers and close the sessions of coding agents, which start it again; then: navigator server stop. Then restore, and start them again.",
    details: { path: home, kind: "running" },
  });
}
