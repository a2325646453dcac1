import type { WorkflowExecutionInfo } from "@temporalio/client";
import { type ReportedUsage, readUsage, USAGE_MEMO } from "../../core/agent/budget/mission-usage";
import { isMission, kindOf, type MissionKind } from "../../core/base/ids";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { type InboxPlace, RUNNING } from "../inbox";
import { listWorkflows } from "../list-workflows";
import { missionQuery } from "../missions";

/** A mission as the costs know it. */
export interface UsedMission {
  workflow_id: string;
  run_id: string;
  kind: MissionKind;
  /** Of an agent's mission its agent, of a task its graph; null: of a plan. */
  name: string | null;
  /** Ms since 1970. */
  started_at: number;
  is_running: boolean;
  /** null: the mission does not report it. */
  usage: ReportedUsage | null;
}

/** The missions that were started in a time. */
export interface UsedMissions {
  missions: UsedMission[];
  /** False: there are more than the book keeps. */
  is_complete: boolean;
}

/** Missions that are kept, about 400 bytes each. */
const MAX_KEPT = 50_000;
const MAX_RUNNING = 5_000;
const PAGE = 500;
/** What was read is new enough for this time, in ms. */
const FRESH_MS = 3_000;
/** Older entries are read again before they are shown; newer entries are shown while they are read again. */
const OLD_MS = 30_000;
/** Visibility may show an end this much later, in ms. */
const LAG_MS = 30_000;
const ENDED = 'ExecutionStatus != "Running"';

/**
 * What missions used, from Visibility and memos, without a worker (web reference, section 7). An ended mission changes no more: it is
 * read once, and kept. Later only what has ended since is read, and what runs.
 */
export class CostBook {
  private readonly ended = new Map<string, UsedMission>();
  private running: UsedMission[] = [];
  /** All missions that were started since then are in the book. */
  private from = Number.POSITIVE_INFINITY;
  /** When it was read last, ms since 1970. */
  private readAt = 0;
  private isCut = false;
  private runningCut = false;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly place: InboxPlace,
    private readonly limits: { kept: number; running: number } = { kept: MAX_KEPT, running: MAX_RUNNING },
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param from ms since 1970
   * @param to ms since 1970; not included
   */
  async started(from: number, to: number): Promise<UsedMissions> {
    const age = this.now() - this.readAt;
    const isKnown = from >= this.from && age < OLD_MS;
    if (!isKnown) await this.inTurn(from);
    else if (age >= FRESH_MS) this.inTurn(from).catch(() => {});
    const missions = [...this.running, ...this.ended.values()];
    return {
      missions: missions.filter(({ started_at }) => started_at >= from && started_at < to),
      is_complete: !this.isCut && !this.runningCut,
    };
  }

  /** One reading at a time: callers that come during that time get the result of the first. */
  private inTurn(from: number): Promise<void> {
    const turn = this.reading.then(() => this.read(from));
    this.reading = turn.catch(() => {});
    return turn;
  }

  private async read(from: number): Promise<void> {
    const at = this.now();
    const isEarlier = from < this.from;
    if (!isEarlier && at - this.readAt < FRESH_MS) return;
    if (isEarlier)
      await this.readEnded({ started_after: from, ...(this.readAt === 0 ? {} : { started_before: this.from }) });
    if (this.readAt !== 0)
      await this.readEnded({ started_after: Math.min(from, this.from) }, `CloseTime >= "${iso(this.readAt - LAG_MS)}"`);
    this.from = Math.min(from, this.from);
    await this.readRunning();
    this.readAt = at;
  }

  private async readEnded(times: { started_after: number; started_before?: number }, since?: string): Promise<void> {
    const query = [missionQuery(this.place, times), ENDED, ...(since === undefined ? [] : [since])].join(" AND ");
    const { missions, isAll } = await this.list(query, this.limits.kept);
    if (!isAll) this.isCut = true;
    for (const one of missions) this.ended.set(one.run_id, one);
    this.forget();
  }

  private async readRunning(): Promise<void> {
    const query = `${missionQuery(this.place, { started_after: this.from })} AND ${RUNNING}`;
    const { missions, isAll } = await this.list(query, this.limits.running);
    // One that ended between the two readings stands in both.
    this.running = missions.filter(({ run_id }) => !this.ended.has(run_id));
    this.runningCut = !isAll;
  }

  private async list(query: string, most: number): Promise<{ missions: UsedMission[]; isAll: boolean }> {
    const missions: UsedMission[] = [];
    let page: string | undefined;
    do {
      const { workflows, next } = await listWorkflows(this.place.temporal, { query, size: Math.min(PAGE, most), page });
      missions.push(...workflows.flatMap(usedMission));
      page = next;
    } while (page !== undefined && missions.length < most);
    return { missions: missions.slice(0, most), isAll: page === undefined && missions.length <= most };
  }

  /** The missions that were started first are forgotten first. */
  private forget(): void {
    const over = this.ended.size - this.limits.kept;
    if (over <= 0) return;
    this.isCut = true;
    const oldest = [...this.ended.values()].sort((a, b) => a.started_at - b.started_at).slice(0, over);
    for (const { run_id } of oldest) this.ended.delete(run_id);
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();

function usedMission(info: WorkflowExecutionInfo): UsedMission[] {
  const { workflowId, runId, status, startTime, searchAttributes, memo } = info;
  const kind = kindOf(workflowId);
  if (kind === undefined || !isMission(workflowId)) return [];
  const name = { agent: ATTRIBUTE.agent, task: ATTRIBUTE.workflow, plan: null }[kind];
  const named = name === null ? undefined : searchAttributes[name]?.[0];
  return [
    {
      workflow_id: workflowId,
      run_id: runId,
      kind,
      name: named === undefined ? null : String(named),
      started_at: startTime.getTime(),
      is_running: status.name === "RUNNING",
      usage: readUsage(memo?.[USAGE_MEMO]) ?? null,
    },
  ];
}

const books = new WeakMap<object, CostBook>();

/** The book of a client: all who ask share it. */
export function costBookOf(place: InboxPlace): CostBook {
  const book = books.get(place) ?? new CostBook(place);
  books.set(place, book);
  return book;
}
