import { flatten, type MissionTree } from "../../client/mission-tree";
import type { TimelineEntry } from "../../core/history/read/timeline";
import { isOpen } from "../../core/history/read/timeline-entry";

/** One thing that happened in one of the missions. */
export interface LogLine extends TimelineEntry {
  workflow_id: string;
}

/**
 * The new lines since the last look at a mission and its children. Long events are reported when they end, so that no
 * line has to change later.
 */
export class LogFollower {
  private readonly told = new Set<string>();

  /** In the order in which they began. `all`: also events that have not ended, because nothing more will come. */
  news(tree: MissionTree, all: boolean): LogLine[] {
    const lines = flatten(tree).flatMap(({ workflow_id, projection }) => {
      // A mission that continued as new starts another history, whose lines are new ones.
      const run = projection.timeline[0]?.at ?? 0;
      return projection.timeline
        .map((entry, i) => ({ key: `${workflow_id} ${run} ${i}`, line: { workflow_id, ...entry } }))
        .filter(({ key, line }) => (all || !isOpen(line)) && !this.told.has(key));
    });
    for (const { key } of lines) this.told.add(key);
    return lines.map(({ line }) => line).sort((a, b) => a.at - b.at);
  }
}
