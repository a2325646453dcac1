import type { NavigatorClient } from "../../client/client";
import { listMissions } from "../../client/missions";
import { MissionTails } from "../../web/events/mission-tail";
import type { CommandIo } from "../terminal/io";
import { FactLines } from "./fact-lines";

/** How often new missions are looked for, in ms. */
const LOOK_MS = 700;
/** More missions at a time are not followed: their lines could not be read. */
const MAX_MISSIONS = 50;

/**
 * What the missions of a project do, one line for each thing, as it happens: from the same reader of histories as Mission Control.
 * Of a mission that runs already only what is new is told.
 */
export class LiveLog {
  private readonly tails: MissionTails;
  private readonly followed = new Set<string>();
  private readonly leave: (() => void)[] = [];
  private readonly since = Date.now();
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly io: CommandIo,
    private readonly client: NavigatorClient,
    /** The address of the page, for links to reviews. */
    private readonly page: () => string,
  ) {
    this.tails = new MissionTails(
      async () => client.temporal,
      () => {}, // It goes on after an outage; what was not read is read then.
    );
  }

  begin(): void {
    this.look();
  }

  /** Ids of the missions that run now. */
  async running(): Promise<string[]> {
    const states = ["running", "waiting", "blocked"] as const;
    const pages = await Promise.all(states.map((state) => listMissions(this.client, { state, size: 20 })));
    return pages.flatMap(({ missions }) => missions.map(({ workflow_id }) => this.shortId(workflow_id)));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.last;
    for (const leave of this.leave) leave();
    this.tails.close();
  }

  private look(): void {
    this.last = this.lookNow()
      .catch(() => {}) // A list that fails is asked for again.
      .finally(() => {
        if (!this.isClosed) this.timer = setTimeout(() => this.look(), LOOK_MS);
      });
  }

  private async lookNow(): Promise<void> {
    const { missions } = await listMissions(this.client, { size: MAX_MISSIONS });
    for (const { workflow_id, started_at, closed_at, agent, graph, kind, state } of missions.reverse()) {
      const isNew = started_at >= this.since;
      if (this.followed.has(workflow_id) || this.isClosed || (closed_at !== undefined && !isNew)) continue;
      this.followed.add(workflow_id);
      const id = this.shortId(workflow_id);
      const what = `${kind}${(agent ?? graph) ? ` ${agent ?? graph}` : ""}`;
      this.io.event({ event: isNew ? "mission_started" : "mission_open", workflow_id, kind, agent, graph, state }, () =>
        this.line(Date.now(), id, isNew ? `started: ${what}` : `is ${state}: ${what}`),
      );
      await this.follow(workflow_id, isNew);
    }
  }

  private async follow(mission: string, isNew: boolean): Promise<void> {
    const { tail, leave } = await this.tails.join(mission);
    const lines = new FactLines(this.io.color, this.page);
    let isPast = !isNew;
    const unsubscribe = tail.subscribeFacts({
      tell: ({ workflow_id, fact }) => {
        const told = lines.of(workflow_id, fact);
        // What waits is news as long as it waits.
        if (isPast && fact.type !== "waits") return;
        for (const { text, ...event } of told)
          this.io.event({ ...event, workflow_id }, () => this.line(Date.now(), this.shortId(workflow_id), text));
      },
      stir: () => {},
    });
    isPast = false;
    this.leave.push(() => {
      unsubscribe();
      leave();
    });
  }

  private line(at: number, id: string, text: string): string {
    return `${this.io.color.dim(new Date(at).toTimeString().slice(0, 8))} ${this.io.color.bold(id)}  ${text}`;
  }

  /** The id without the project, which is the same in all lines. */
  private shortId(workflowId: string): string {
    const { project } = this.client;
    return project === null ? workflowId : workflowId.replace(`${project}:`, "");
  }
}
