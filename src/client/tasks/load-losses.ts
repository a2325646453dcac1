import { NavigatorError } from "../../core/base/navigator-error";
import type { TaskServiceApi } from "./types";

/** What a load would take away, for a question to the person or model that asked for it. */
export interface LoadLosses {
  message: string;
  details: { removes?: number; tasks?: string[]; resets?: string[] };
}

const MOST_NAMED = 1_000;

/** The tasks that loading a list removes from the tree, and those that it sets back; undefined = none. */
export async function lossesOfLoad(
  taskService: Pick<TaskServiceApi, "removedByReplace" | "losingProgress">,
  tasks: readonly unknown[],
  mode: "replace" | "merge",
): Promise<LoadLosses | undefined> {
  const removed = mode === "replace" ? await taskService.removedByReplace(tasks) : [];
  const reset = await taskService.losingProgress(tasks, mode);
  if (removed.length + reset.length === 0) return undefined;
  const removes = `removes ${removed.length} task(s) that the list does not have: ${shown(removed)}`;
  const resets = `sets back ${reset.length} task(s), which lose moves or a claim: ${shown(reset)}`;
  const parts = [...(removed.length === 0 ? [] : [removes]), ...(reset.length === 0 ? [] : [resets])];
  return {
    message: `This ${parts.join("; it ")}`,
    details: {
      ...(removed.length === 0 ? {} : { removes: removed.length, tasks: removed.slice(0, MOST_NAMED) }),
      ...(reset.length === 0 ? {} : { resets: reset.slice(0, MOST_NAMED) }),
    },
  };
}

const shown = (ids: readonly string[]): string => ids.slice(0, 20).join(", ") + (ids.length > 20 ? ", ..." : "");

/**
 * Refuses a load that takes something away.
 *
 * @param how how the caller confirms it
 * @throws NavigatorError `confirmation_required` that names the tasks
 */
export async function refuseLosses(how: string, ...given: Parameters<typeof lossesOfLoad>): Promise<void> {
  const losses = await lossesOfLoad(...given);
  if (losses === undefined) return;
  throw new NavigatorError("confirmation_required", `${losses.message}. Nothing was loaded.`, {
    hint: `${how} A task of the list without currentStep and status keeps its place; the mode "merge" keeps the other tasks.`,
    details: { ...losses.details },
  });
}
