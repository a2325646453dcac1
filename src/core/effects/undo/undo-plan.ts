import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { canonicalDigest } from "../effect-id";
import { placeOfScope, scopePart } from "../effect-key";
import type { EffectEntry } from "../entry";

/** One effect that is taken back. */
export interface UndoStep extends Pick<EffectEntry, "key" | "tool" | "effect" | "task" | "lane" | "turn" | "at"> {
  args: JsonObject;
  /** What the call answered. */
  result: Json;
  /** US dollars, if the tool declares them. */
  cost?: number;
  /** The task queue of the tool's workers; absent = that of the mission. */
  task_queue?: string;
}

/** Why an effect is not taken back. The first four remain in the world; the last two need no undo. */
type UndoObstacle = "no_undo" | "unknown_outcome" | "not_kept" | "under_way" | "undone" | "not_done";

/** One effect that is not taken back, and why. */
export interface UndoRest
  extends Pick<EffectEntry, "key" | "tool" | "effect" | "task" | "lane" | "turn" | "at" | "args" | "state"> {
  obstacle: UndoObstacle;
  /** The obstacle in words. */
  why: string;
}

/** What would be undone (effects reference, section 9). */
export interface UndoPlan {
  /** The workflow id of the mission. */
  mission: string;
  /** Only what was done after this record. */
  to?: string;
  /** Two plans with the same digest undo the same, and leave the same. */
  digest: string;
  /** In the order in which they are undone: the last effect first. */
  steps: UndoStep[];
  /** What was done, or may have been done, and cannot be undone. In the order of `steps`. */
  remaining: UndoRest[];
  /** What needs no undo. */
  needless: UndoRest[];
  /** US dollars, as far as the tools declare them; `unknown` = the number of steps whose tool declares none. */
  cost: { known: number; unknown: number };
}

/** Which part of a mission is undone. */
export interface UndoRange {
  /** The id of a task in a journal, of a task of a plan, or of a step of a graph. */
  to?: string | undefined;
  /** When the record was made, if the journal knows it: for a record without effects. Ms since 1970. */
  recorded_at?: number | undefined;
}

/**
 * The effects of a mission that an undo would take back, in reverse order, and those that it would leave.
 *
 * @param entries the effects of the mission; equal times keep their order
 * @returns `not_found` for a record without effects whose time is not known
 */
export function undoPlan(mission: string, entries: readonly EffectEntry[], range: UndoRange = {}): Result<UndoPlan> {
  const { to } = range;
  const ordered = [...entries].sort((a, b) => a.at - b.at);
  const chosen = to === undefined ? ordered : after(ordered, to, range.recorded_at);
  if (chosen === null)
    return failed("not_found", `The mission ${mission} has no record "${to}", and no effect of it.`, {
      path: String(to),
      kind: "record",
      records: [...new Set(ordered.flatMap(({ task }) => (task === undefined ? [] : [task])))],
    });
  const steps: UndoStep[] = [];
  const remaining: UndoRest[] = [];
  const needless: UndoRest[] = [];
  for (const entry of chosen.reverse()) {
    const step = undoStep(entry);
    if ("result" in step) steps.push(step);
    else (step.obstacle === "undone" || step.obstacle === "not_done" ? needless : remaining).push(step);
  }
  const costs = steps.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return ok({
    mission,
    ...(to === undefined ? {} : { to }),
    digest: canonicalDigest({
      mission,
      to: to ?? null,
      steps: steps.map(({ key }) => key),
      remaining: remaining.map(({ key, obstacle }) => [key, obstacle]),
    }),
    steps,
    remaining,
    needless,
    cost: { known: costs.reduce((sum, cost) => sum + cost, 0), unknown: steps.length - costs.length },
  });
}

/** The plan as it is now, if it is the one with the digest that somebody agreed to; else `stale_version`. */
export const agreedPlan = <T extends { digest: string }>(mission: string, plan: T, agreed: string): Result<T> =>
  plan.digest === agreed
    ? ok(plan)
    : failed(
        "stale_version",
        `What would be undone of ${mission} now is not what was shown. Nothing was undone. Look at the plan again.`,
        {
          agreed,
          digest: plan.digest,
        },
      );

/** How one effect is taken back, or why it is not. */
export function undoStep(entry: EffectEntry): UndoStep | UndoRest {
  const { key, tool, effect, task, lane: scope, turn, at, args, answer, undo_cost, task_queue } = entry;
  const place = { key, tool, effect, ...(task === undefined ? {} : { task }), lane: scope, turn, at };
  const obstacle = obstacleOf(entry);
  if (obstacle !== null || args === undefined || answer === undefined) {
    const found = obstacle ?? "not_kept";
    return {
      ...place,
      ...(args === undefined ? {} : { args }),
      state: entry.state,
      obstacle: found,
      why: reasonText(found, entry),
    };
  }
  return {
    ...place,
    args,
    result: answer,
    ...(undo_cost === undefined ? {} : { cost: undo_cost }),
    ...(task_queue === undefined ? {} : { task_queue }),
  };
}

function obstacleOf({ state, undo, held_by }: EffectEntry): UndoObstacle | null {
  // An undo of the mission that made it takes it back.
  if (held_by !== undefined && state !== "undone") return "not_done";
  switch (state) {
    case "intended":
      return "under_way";
    case "unknown":
      return "unknown_outcome";
    case "undone":
      return "undone";
    case "failed":
    case "refused":
      return "not_done";
    case "done":
      return undo === true ? null : "no_undo";
  }
}

function reasonText(obstacle: UndoObstacle, { tool, state, message, held_by }: EffectEntry): string {
  switch (obstacle) {
    case "no_undo":
      return `tool/${tool} has no undo`;
    case "unknown_outcome":
      return "nobody knows whether it was done";
    case "not_kept":
      return "its arguments or its answer were too long to be kept";
    case "under_way":
      return "its call is under way";
    case "undone":
      return "it is undone already";
    case "not_done":
      if (held_by !== undefined) return `another mission made it: ${held_by}`;
      return `it was not done: ${state}${message === undefined ? "" : `: ${message}`}`;
  }
}

/** What was done after a record; null: nobody knows the record. The record's own effects are not after it. */
function after(ordered: readonly EffectEntry[], record: string, recorded_at?: number): EffectEntry[] | null {
  const isOwn = (entry: EffectEntry) => entry.task === record || placeOfScope(entry.lane) === scopePart(record);
  const last = ordered.findLastIndex(isOwn);
  if (last >= 0) return ordered.slice(last + 1);
  return recorded_at === undefined ? null : ordered.filter(({ at }) => at >= recorded_at);
}
