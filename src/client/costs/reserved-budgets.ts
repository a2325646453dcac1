import type { TreeBudgetState } from "../../core/agent/budget/tree-budget";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Amount } from "../../core/calls/host";
import { type UsageAnswer, usageQuery } from "../../workflows/messages";
import { askQuerySoon } from "../ask-query";
import type { InboxPlace } from "../inbox";
import type { UsedMission } from "./cost-book";

/** The budget of a running mission, for it and all agents below it. */
export interface ReservedBudget extends TreeBudgetState {
  workflow_id: string;
  agent: string | null;
  /** The most that the calls under way may take. */
  reserved: Amount;
}

/** The budgets of running missions. */
export interface ReservedBudgets {
  budgets: ReservedBudget[];
  /** Running missions that were not asked, or did not answer: they may have one, too. */
  unknown: number;
}

/** Missions that are asked: a worker may have to replay each. */
const MAX_ASKED = 40;
const AT_ONCE = 8;

/** Asks the newest running agents for their budgets, for a short time. If the first ones do not answer, no worker runs. */
export async function reservedBudgets(
  { temporal }: InboxPlace,
  missions: readonly UsedMission[],
): Promise<ReservedBudgets> {
  const running = missions
    .filter(({ is_running, kind }) => is_running && kind === "agent")
    .sort((a, b) => b.started_at - a.started_at);
  const budgets: ReservedBudget[] = [];
  let answered = 0;
  for (let at = 0; at < Math.min(running.length, MAX_ASKED); at += AT_ONCE) {
    const asked = running.slice(at, Math.min(at + AT_ONCE, MAX_ASKED));
    const answers = await Promise.all(asked.map(({ workflow_id }) => answerOf(workflow_id)));
    for (const [i, answer] of answers.entries()) {
      if (answer === undefined) continue;
      answered += 1;
      const { workflow_id, name: agent } = asked[i] as UsedMission;
      if (answer.budget !== null) budgets.push({ workflow_id, agent, ...answer.budget });
    }
    if (answers.every((answer) => answer === undefined)) break;
  }
  return { budgets, unknown: running.length - answered };

  async function answerOf(workflowId: string): Promise<UsageAnswer | undefined> {
    try {
      return await askQuerySoon(temporal.workflow.getHandle(workflowId), usageQuery);
    } catch (error) {
      // It is over, or runs with a worker that does not know the question.
      if (error instanceof NavigatorError) return undefined;
      throw error;
    }
  }
}

interface Remembered {
  at: number;
  found: Promise<ReservedBudgets>;
}

/** How long an answer is new enough, in ms. */
const FRESH_MS = 10_000;
const remembered = new WeakMap<object, Map<string, Remembered>>();

/** The same, asked once for all who ask within some seconds. */
export function rememberedBudgets(place: InboxPlace, missions: readonly UsedMission[]): Promise<ReservedBudgets> {
  const known = remembered.get(place) ?? new Map<string, Remembered>();
  remembered.set(place, known);
  for (const [key, { at }] of known) if (Date.now() - at >= FRESH_MS) known.delete(key);
  const key = missions.flatMap(({ is_running, run_id }) => (is_running ? [run_id] : [])).join(" ");
  const before = known.get(key);
  if (before !== undefined) return before.found;
  const found = reservedBudgets(place, missions);
  known.set(key, { at: Date.now(), found });
  found.catch(() => known.delete(key));
  return found;
}
