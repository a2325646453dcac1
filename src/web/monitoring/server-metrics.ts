import type { NavigatorClient } from "../../client/client";
import { costBookOf } from "../../client/costs/cost-book";
import { ask } from "../../client/errors";
import { RUNNING } from "../../client/inbox";
import { countInbox } from "../../client/inbox-page";
import { listWorkflows } from "../../client/list-workflows";
import { inProject } from "../../client/listing/project-filter";
import { countMissions } from "../../client/missions";
import { activePollers, taskQueueLoad } from "../../client/task-queue";
import { addedCounts, type UsageCounts } from "../../core/agent/budget/mission-usage";
import { NavigatorError } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import type { UnreadableCode } from "../../node/encoding/unreadable-payload";
import type { Metric, Sample } from "./exposition";

const KINDS = ["agent", "task", "plan"] as const;
/** Ages of open reviews and waiting missions, in seconds: a minute to a week. */
const AGES_S = [60, 300, 900, 3_600, 14_400, 86_400, 604_800];
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Agents and graphs that have a separate line. */
const MAX_NAMES = 50;

/**
 * Reads the work of a project from Visibility and the server. It leaves out a part with data that this process cannot read, and reports
 * that part: the server is there all the same.
 *
 * @throws NavigatorError
 */
export async function serverMetrics(client: NavigatorClient): Promise<Metric[]> {
  const now = Date.now();
  const parts = {
    missions: missions(client),
    waiting: waiting(client, now),
    used: used(client, now),
    queue: taskQueue(client),
  };
  const unread: Sample[] = [];
  const read = async (part: string, metrics: Promise<Metric[]>): Promise<Metric[]> => {
    try {
      return await metrics;
    } catch (error) {
      if (!(error instanceof NavigatorError) || !UNREADABLE.has(error.code)) throw error;
      unread.push({ labels: { part, code: error.code }, value: 1 });
      return [];
    }
  };
  const all = await Promise.all(Object.entries(parts).map(([part, metrics]) => read(part, metrics)));
  return [
    ...all.flat(),
    gauge(
      "navigator_metrics_unread",
      "Parts of these metrics that are missing, because data cannot be read here.",
      unread,
    ),
  ];
}

/** Data that this process has no key, no codec or no store for. */
const UNREADABLE: ReadonlySet<string> = new Set<UnreadableCode>([
  "encryption_key_missing",
  "payload_unreadable",
  "payload_tampered",
  "payload_storage_unavailable",
]);

async function missions(client: NavigatorClient): Promise<Metric[]> {
  const counts = await Promise.all(KINDS.map(async (kind) => [kind, await countMissions(client, { kind })] as const));
  return [
    gauge(
      "navigator_missions",
      "Missions, tasks and plans that the server keeps, by state.",
      counts.flatMap(([kind, states]) =>
        Object.entries(states).map(([state, value]) => ({ labels: { kind, state }, value })),
      ),
    ),
  ];
}

/** Counts the work that waits for people. It counts ages and does not read reviews: so a thousand cost no more than ten. */
async function waiting(client: NavigatorClient, now: number): Promise<Metric[]> {
  const [all, older] = await Promise.all([
    countInbox(client),
    Promise.all(AGES_S.map(async (seconds) => ({ seconds, value: await askedBefore(client, now - seconds * 1_000) }))),
  ]);
  const age = older.findLast(({ value }) => value > 0)?.seconds ?? 0;
  const since = all === 0 ? now : await oldest(client, age === AGES_S.at(-1) ? 0 : now - nextAge(age) * 1_000, now);
  return [
    gauge(
      "navigator_waiting",
      "Workflows with something that waits for a person: reviews, parked missions, blocked calls.",
      [{ value: all }],
    ),
    gauge(
      "navigator_waiting_older_than",
      "The same, if the oldest question waits for more than this time.",
      older.map(({ seconds, value }) => ({ labels: { seconds: String(seconds) }, value })),
    ),
    gauge("navigator_waiting_oldest_seconds", "How long the oldest question has been waiting; 0 = none.", [
      { value: Math.max(0, Math.round((now - since) / 1_000)) },
    ]),
  ];
}

const nextAge = (seconds: number): number => AGES_S.find((one) => one > seconds) as number;

const asked = ({ project }: NavigatorClient, rest: string): string =>
  `${RUNNING} AND ${inProject(project)} AND ${ATTRIBUTE.askedAt} ${rest}`;
const timeText = (ms: number): string => JSON.stringify(new Date(ms).toISOString());

async function askedBefore(client: NavigatorClient, ms: number): Promise<number> {
  return (await ask(() => client.temporal.workflow.count(asked(client, `<= ${timeText(ms)}`)))).count;
}

/** Workflows that are read to find the oldest of them. */
const FEW = 20;

/**
 * Since when the oldest question waits. An SQL store sorts by nothing that is ours, so the time before which only a few asked is
 * found by counting.
 */
async function oldest(client: NavigatorClient, earliest: number, now: number): Promise<number> {
  let [early, late] = [earliest, now];
  while (late - early > 1_000 && (await askedBefore(client, late)) > FEW) {
    const middle = Math.floor((early + late) / 2);
    if ((await askedBefore(client, middle)) > 0) late = middle;
    else early = middle;
  }
  const { workflows } = await listWorkflows(client.temporal, {
    query: asked(client, `<= ${timeText(late)}`),
    size: FEW,
  });
  return workflows.reduce((first, { searchAttributes }) => {
    const [at] = searchAttributes[ATTRIBUTE.askedAt] ?? [];
    return at instanceof Date ? Math.min(first, at.getTime()) : first;
  }, now);
}

/** Missions that were started in the last day. Sums over all time would fall when the server forgets old missions. */
async function used(client: NavigatorClient, now: number): Promise<Metric[]> {
  const { missions } = await costBookOf(client).started(now - DAY_MS, now + DAY_MS);
  return usedMetrics(usedByName(missions));
}

function usedByName(started: Awaited<ReturnType<ReturnType<typeof costBookOf>["started"]>>["missions"]) {
  const byName = new Map<string, { labels: { kind: string; name: string }; counts: UsageCounts }>();
  const effects = new Map<string, number>();
  let unknown = 0;
  for (const { kind, name, usage } of started) {
    if (usage === null) {
      unknown += 1;
      continue;
    }
    for (const [state, n] of Object.entries(usage.effects ?? {})) effects.set(state, (effects.get(state) ?? 0) + n);
    const known = byName.has(`${kind} ${name}`) || byName.size < MAX_NAMES;
    const labels = { kind, name: known ? (name ?? "") : "other" };
    const key = `${kind} ${known ? name : "other"}`;
    const before = byName.get(key);
    byName.set(key, { labels, counts: before === undefined ? usage : addedCounts(before.counts, usage) });
  }
  return { rows: [...byName.values()], effects, unknown };
}

function usedMetrics({ rows, effects, unknown }: ReturnType<typeof usedByName>): Metric[] {
  const each = (of: (counts: UsageCounts) => number): Sample[] =>
    rows.map(({ labels, counts }) => ({ labels, value: of(counts) }));
  const tokens = rows.flatMap(({ labels, counts }) => [
    { labels: { ...labels, type: "input" }, value: counts.input_tokens },
    { labels: { ...labels, type: "output" }, value: counts.output_tokens },
    { labels: { ...labels, type: "cached" }, value: counts.cached_tokens },
  ]);
  const dayOf = "by missions that were started in the last 24 hours, as far as they reported.";
  return [
    gauge(
      "navigator_day_turns",
      `Answers of models, ${dayOf}`,
      each(({ turns }) => turns),
    ),
    gauge("navigator_day_tokens", `Tokens, ${dayOf} Cached ones are a part of the input.`, tokens),
    gauge(
      "navigator_day_cost_dollars",
      `US dollars, ${dayOf}`,
      each(({ cost }) => cost),
    ),
    gauge("navigator_day_untold", "Missions of the last 24 hours that do not report their usage.", [
      { value: unknown },
    ]),
    gauge(
      "navigator_day_effects",
      `Effects by state, ${dayOf}`,
      (["done", "failed", "refused", "unknown", "undone", "intended"] as const).map((state) => ({
        labels: { state },
        value: effects.get(state) ?? 0,
      })),
    ),
  ];
}

async function taskQueue(client: NavigatorClient): Promise<Metric[]> {
  const { task_queue, workflow, activity } = await taskQueueLoad(client);
  const loads = { workflow, activity };
  const each = (of: (load: typeof workflow) => number): Sample[] =>
    Object.entries(loads).map(([type, load]) => ({ labels: { task_queue, type }, value: of(load) }));
  return [
    gauge(
      "navigator_task_queue_backlog",
      "About how many tasks no worker has taken.",
      each(({ backlog }) => backlog),
    ),
    gauge(
      "navigator_task_queue_backlog_age_seconds",
      "How long the oldest of them waits.",
      each(({ backlog_age_ms }) => backlog_age_ms / 1_000),
    ),
    gauge(
      "navigator_task_queue_pollers",
      "Workers that asked for tasks in the last 90 seconds.",
      each((load) => activePollers(load).length),
    ),
  ];
}

/** A value that may rise and fall. */
export const gauge = (name: string, help: string, samples: Sample[]): Metric => ({
  name,
  help,
  type: "gauge",
  samples,
});
