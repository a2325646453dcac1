import { setTimeout as sleep } from "node:timers/promises";
import { type CrowdClient, type Kind, openClient, type Told } from "./clients";
import type { SeenClaim, SeenMove } from "./judge";
import type { Site } from "./site";

/** What all orchestrators share. */
export interface Crowd {
  site: Site;
  lease_s: number;
  /** How often an answer is thrown away, and how often a call is sent twice at once: 0 to 1. */
  lost: number;
  twice: number;
  claims: SeenClaim[];
  moves: SeenMove[];
  figures: { calls: number; lost_answers: number; calls_sent_twice: number; calls_without_answer: number };
  isOver(): boolean;
}

/** The codes of an orchestrator that comes too late: its claim ran out, and somebody else has the task or has done it. */
const TOO_LATE = new Set(["claim_lost", "task_claimed", "stale_version", "task_closed"]);
/** Nobody answers at the moment: the call is made again. */
export const AWAY: ReadonlySet<string> = new Set(["temporal_unavailable", "no_worker", "server_error"]);
const PAUSE_MS = 500;

/** One of many who claim tasks, do them and report: it takes lost answers as a reason to ask again, and so may ask twice. */
export class Orchestrator {
  readonly owner: string;
  private client: CrowdClient | undefined;
  private results = 0;

  constructor(
    private readonly crowd: Crowd,
    readonly kind: Kind,
    private readonly index: number,
    private readonly random: () => number,
  ) {
    this.owner = `${kind} ${index}`;
  }

  /** Its server, where it has one of its own. */
  kill(): void {
    this.client?.kill();
  }

  async work(): Promise<void> {
    const { crowd, owner } = this;
    while (!crowd.isOver()) {
      const told = await this.call("claim_next_tasks", { owner, limit: 2, leaseSeconds: crowd.lease_s });
      const claimed =
        "data" in told ? (told.data.claimed as { task: { id: string }; token: string; expiresAt: number }[]) : [];
      if (claimed.length === 0) await sleep(PAUSE_MS);
      for (const { task, expiresAt } of claimed)
        crowd.claims.push({ task: task.id, owner, from: expiresAt - crowd.lease_s * 1_000, until: expiresAt });
      for (const { task, token } of claimed) await this.finish(task.id, token);
    }
    await this.close();
  }

  async close(): Promise<void> {
    await this.client?.close().catch(() => {});
    this.client = undefined;
  }

  private async finish(taskId: string, claim: string): Promise<void> {
    this.results += 1;
    const output = `${this.owner}/${this.results}`;
    const args = { taskId, result: "passed", output, claim, version: 0 };
    const told = await this.call("advance_task", args);
    if ("refused" in told) {
      if (TOO_LATE.has(told.refused)) return;
      throw new Error(`${this.owner}: ${taskId} was refused with ${told.refused}.`);
    }
    const { success, task } = told.data as { success: boolean; task: { history: { output?: unknown }[] } };
    // A repeated move is answered as the first was: the output in its history says whose it is.
    if (success && task.history.at(-1)?.output === output)
      this.crowd.moves.push({ task: taskId, owner: this.owner, output });
  }

  /** Asks until there is an answer. Some answers are thrown away, and some calls are sent twice at once. */
  private async call(name: string, args: object): Promise<Told> {
    const { figures, lost, twice, isOver } = this.crowd;
    const isLost = this.random() < lost;
    const isTwice = this.random() < twice;
    for (let throwAway = isLost; ; ) {
      figures.calls += 1;
      let told: Told | null;
      if (isTwice && name === "advance_task") {
        figures.calls_sent_twice += 1;
        const both = await Promise.all([this.once(name, args), this.once(name, args)]);
        told = both.find((one) => one !== null && "data" in one) ?? both.find((one) => one !== null) ?? null;
      } else told = await this.once(name, args);
      if (told !== null && throwAway) {
        figures.lost_answers += 1;
        throwAway = false;
        continue;
      }
      if (told !== null && !("refused" in told && AWAY.has(told.refused))) return told;
      figures.calls_without_answer += 1;
      // A report is sent until it is answered, also when all is done: the answer may be what was lost.
      if (isOver() && name !== "advance_task") return { refused: "over" };
      await sleep(PAUSE_MS);
    }
  }

  /** null: nobody answered. The next call goes through a new client. */
  private async once(name: string, args: object): Promise<Told | null> {
    let client = this.client;
    try {
      client ??= this.client = await openClient(this.kind, this.crowd.site, this.index);
      return await client.call(name, args);
    } catch {
      if (this.client === client) await this.close();
      return null;
    }
  }
}
