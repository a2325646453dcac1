/** The facts of a mission that were shown: the log of the next process continues after them. */
export interface ShownMission {
  /** By the id of each of its runs: how many of its facts were shown. */
  facts: { [runId: string]: number };
  /** When the log saw its end, in ms since 1970; null: it is still running. */
  over_at: number | null;
}

/** By the id of the mission. */
export type ShownMissions = { [workflowId: string]: ShownMission };

/** One piece of the live log, and how far it shows the mission. */
export interface LiveLine {
  mission: string;
  /** Nothing to be seen: the mission is over, or what happened before is passed over. */
  shown?: { event: { event: string; [field: string]: unknown }; text: string };
  facts?: ShownMission["facts"];
  over_at?: number;
}

/** Adds one piece of the log to the progress of its mission. */
export function takeLine(progress: ShownMissions, { mission, facts, over_at }: LiveLine): void {
  const before = progress[mission];
  // Of a mission that is over nothing will come.
  progress[mission] =
    over_at === undefined
      ? { facts: { ...before?.facts, ...facts }, over_at: before?.over_at ?? null }
      : { facts: {}, over_at };
}
