/** What was told of a mission so far: the log of the next process goes on there. */
export interface ShownMission {
  /** By the id of each of its runs: how many facts of it were told. */
  facts: { [runId: string]: number };
  /** When it was seen to be over, in ms since 1970; null: it goes on. */
  over_at: number | null;
}

/** By the id of the mission. */
export type ShownMissions = { [workflowId: string]: ShownMission };

/** One piece of the live log, and how much of the mission is told with it. */
export interface LiveLine {
  mission: string;
  /** Nothing to be seen: the mission is over, or what happened before is passed over. */
  shown?: { event: { event: string; [field: string]: unknown }; text: string };
  facts?: ShownMission["facts"];
  over_at?: number;
}

export function takeLine(told: ShownMissions, { mission, facts, over_at }: LiveLine): void {
  const before = told[mission];
  // Of a mission that is over nothing will come.
  told[mission] =
    over_at === undefined
      ? { facts: { ...before?.facts, ...facts }, over_at: before?.over_at ?? null }
      : { facts: {}, over_at };
}
