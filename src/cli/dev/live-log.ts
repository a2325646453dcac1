import type { NavigatorClient } from "../../client/client";
import { type ListedMission, listMissions } from "../../client/missions";
import { MissionTail } from "../../web/events/mission-tail";
import type { Colors } from "../terminal/render";
import { FactLines } from "./fact-lines";
import { type LiveLine, type ShownMissions, takeLine } from "./live-line";

/** How often new missions are looked for, in ms. */
const LOOK_MS = 700;
/** More missions at a time are not followed: their lines could not be read. */
const MAX_MISSIONS = 50;

export interface LiveLogOptions {
  /** The log shows missions that started earlier only from now on. Ms since 1970. */
  since: number;
  /** The facts that another log has shown. */
  progress: ShownMissions;
  color: Colors;
  /** The address of the page, for links to reviews; null: there is none. */
  page: string | null;
}

/** What the missions of a project do, one line for each thing, as it happens: read from their histories, as Mission Control does. */
export class LiveLog {
  private readonly open = new Map<string, () => void>();
  private readonly progress: ShownMissions;
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly client: NavigatorClient,
    private readonly options: LiveLogOptions,
    private readonly onLine: (line: LiveLine) => void,
  ) {
    this.progress = { ...options.progress };
  }

  begin(): void {
    void this.look();
  }

  /** No line comes after this. */
  close(): void {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const leave of this.open.values()) leave();
    this.open.clear();
  }

  private async look(): Promise<void> {
    try {
      const { missions } = await listMissions(this.client, { size: MAX_MISSIONS });
      for (const mission of missions.reverse()) await this.lookAt(mission);
    } catch {
      // A list that fails is asked for again.
    }
    if (!this.isClosed) this.timer = setTimeout(() => this.look(), LOOK_MS);
  }

  private async lookAt(mission: ListedMission): Promise<void> {
    const { workflow_id: id, started_at, closed_at } = mission;
    const isNew = started_at >= this.options.since;
    const progress = this.progress[id];
    // An id may come again when the mission that had it is over.
    const isKnown = progress !== undefined && (progress.over_at === null || started_at <= progress.over_at);
    if (this.isClosed || this.open.has(id)) return;
    if (isKnown ? progress.over_at !== null : closed_at !== undefined && !isNew) return;
    // A history that cannot be read is asked for again with the next list.
    await this.follow(mission, { isNew, isKnown }).catch(() => {});
  }

  private async follow(
    mission: ListedMission,
    { isNew, isKnown }: { isNew: boolean; isKnown: boolean },
  ): Promise<void> {
    const id = mission.workflow_id;
    const tail = new MissionTail(this.client.temporal, id, () => {}); // It continues after an outage.
    this.open.set(id, () => tail.stop());
    try {
      await tail.begun;
    } catch (error) {
      this.open.delete(id);
      throw error;
    }
    if (this.isClosed) return;
    if (!isKnown) this.announce(mission, isNew);
    const lines = new FactLines(this.options.color, this.options.page);
    const progress = { ...this.progress[id]?.facts };
    let isPast = !isNew && !isKnown;
    tail.subscribeFacts({
      notify: ({ workflow_id, run_id, index, fact }) => {
        const shown = lines.of(workflow_id, fact);
        if (index < (progress[run_id] ?? 0)) return;
        progress[run_id] = index + 1;
        // A wait is news as long as it lasts.
        if (isPast && fact.type !== "waits") return;
        for (const { text, ...event } of shown)
          this.notify({
            mission: id,
            facts: { [run_id]: index + 1 },
            shown: { event: { ...event, workflow_id }, text: this.line(workflow_id, text) },
          });
      },
      stir: () => this.leaveIfOver(id, tail),
    });
    if (isPast) this.notify({ mission: id, facts: { ...progress } });
    isPast = false;
    this.leaveIfOver(id, tail);
  }

  private announce({ workflow_id, kind, agent, graph, state }: ListedMission, isNew: boolean): void {
    const what = `${kind}${(agent ?? graph) ? ` ${agent ?? graph}` : ""}`;
    const event = { event: isNew ? "mission_started" : "mission_open", workflow_id, kind, agent, graph, state };
    const text = this.line(workflow_id, isNew ? `started: ${what}` : `is ${state}: ${what}`);
    this.notify({ mission: workflow_id, shown: { event, text } });
  }

  /** Its facts are let go. */
  private leaveIfOver(id: string, tail: MissionTail): void {
    if (!tail.isOver || !this.open.delete(id)) return;
    tail.stop();
    this.notify({ mission: id, over_at: Date.now() });
  }

  private notify(line: LiveLine): void {
    if (this.isClosed) return;
    takeLine(this.progress, line);
    this.onLine(line);
  }

  private line(workflowId: string, text: string): string {
    const { color } = this.options;
    const time = color.dim(new Date().toTimeString().slice(0, 8));
    return `${time} ${color.bold(shortId(this.client, workflowId))}  ${text}`;
  }
}

/** Ids of the missions that run now, without the project. */
export async function runningMissions(client: NavigatorClient): Promise<string[]> {
  const states = ["running", "waiting", "blocked"] as const;
  const pages = await Promise.all(states.map((state) => listMissions(client, { state, size: 20 })));
  return pages.flatMap(({ missions }) => missions.map(({ workflow_id }) => shortId(client, workflow_id)));
}

/** The id without the project, which is the same in all lines. */
const shortId = ({ project }: NavigatorClient, workflowId: string): string =>
  project === null ? workflowId : workflowId.replace(`${project}:`, "");
