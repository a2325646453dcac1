import type { NavigatorClient } from "../../client/client";
import { flatten, type MissionTree, missionTree } from "../../client/mission-tree";
import { HistoryFormatError } from "../../core/history/read/decode-events";
import { projectJournal } from "../../core/history/read/project";
import type { TimelineEntry } from "../../core/history/read/timeline";
import { endIn, isOpen } from "../../core/history/read/timeline-entry";
import { storyOf } from "../../core/history/trace/story";
import { findMission } from "../input/find-mission";
import { fromHistoryFile } from "../input/history-file";
import { blockedLines } from "../session/notices";
import { withSession } from "../session/session";
import { endLines, missionsText, peoplesLogText, timelineRow } from "../show/render-missions";
import type { TopCommands } from "../terminal/command";
import { badUsage, EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const FOLLOW_MS = 500;

export const logCommands: TopCommands = {
  log: {
    options: [
      ["--full", "whole programs, arguments, answers and messages (default: their beginnings)"],
      ["--follow", "print events as they happen, until the mission ends"],
      ["--from-history <file>", "an exported history (JSON) instead of a server; - reads standard input"],
    ],
    examples: [
      "navigator log task/order-42",
      "navigator log order-42 --full",
      "navigator log --from-history history.json",
    ],
    run: (io: CommandIo, id: string | undefined, options: Options) => {
      if (options.fromHistory !== undefined) {
        if (id !== undefined || options.follow)
          throw badUsage("--from-history", "--from-history takes no id and cannot be combined with --follow.");
        return fromFile(io, options.fromHistory, options.full === true);
      }
      if (id === undefined)
        throw badUsage("ID", "Name a mission or task, or give --from-history FILE.", "navigator log task/order-42");
      return withSession(io, "read", async ({ client }) => {
        const tree = await findMission(id, (workflowId) => missionTree(client, workflowId));
        if (options.follow) return follow(io, client, tree);
        const blocked = endIn(tree.projection.timeline) !== undefined ? [] : await client.blocked(tree.workflow_id);
        io.result(blocked.length === 0 ? tree : { ...tree, blocked }, () =>
          [missionsText(tree, options.full === true, io.color), ...blockedLines(blocked)].join("\n"),
        );
      });
    },
  },
};

interface Options {
  full?: boolean;
  follow?: boolean;
  fromHistory?: string;
}

/** One line for each event as it happens, then the Mission Logs. With --json: JSON Lines. */
async function follow(io: CommandIo, client: NavigatorClient, first: MissionTree): Promise<ExitCode> {
  const follower = new LogFollower();
  const start = first.projection.timeline[0]?.at ?? 0;
  for (let tree = first; ; tree = await missionTree(client, first.workflow_id)) {
    const over = endIn(tree.projection.timeline) !== undefined;
    for (const line of follower.news(tree, over)) {
      const [at = "", kind = "", ...rest] = timelineRow(line, start).map((cell) => cell.trim());
      const what = [at.padStart(12), kind.padEnd(6), ...rest].filter((cell) => cell !== "").join("  ");
      io.event(line, () => `${what}  ${io.color.dim(line.workflow_id)}`);
    }
    if (over) {
      for (const { workflow_id, projection } of flatten(tree))
        if (projection.rows.length > 0)
          io.out(`\n${io.color.bold(workflow_id)}\n${peoplesLogText(projection, io.color)}`);
      const end = endLines(tree, io.color);
      if (end.length > 0) io.out(["", ...end].join("\n"));
      return EXIT.done;
    }
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
  }
}

async function fromFile(io: CommandIo, file: string, full: boolean): Promise<void> {
  const tree = fromHistoryFile(file, (history, workflow_id): MissionTree => {
    const projection = projectJournal(history);
    if (projection.timeline.length === 0) throw new HistoryFormatError("it has no workflow events");
    return { workflow_id, projection, story: storyOf([history]), children: [] };
  });
  io.result(tree, () => missionsText(tree, full, io.color));
}

/** One thing that happened in one of the missions. */
interface LogLine extends TimelineEntry {
  workflow_id: string;
}

/**
 * The new lines since the last look at a mission and its children. Long events are reported when they end, so that no
 * line has to change later.
 */
export class LogFollower {
  private readonly reported = new Set<string>();

  /** In the order in which they began. `all`: also events that have not ended, because nothing more will come. */
  news(tree: MissionTree, all: boolean): LogLine[] {
    const lines = flatten(tree).flatMap(({ workflow_id, projection }) => {
      // A mission that continued as new starts another history, whose lines are new ones.
      const run = projection.timeline[0]?.at ?? 0;
      return projection.timeline
        .map((entry, i) => ({ key: `${workflow_id} ${run} ${i}`, line: { workflow_id, ...entry } }))
        .filter(({ key, line }) => (all || !isOpen(line)) && !this.reported.has(key));
    });
    for (const { key } of lines) this.reported.add(key);
    return lines.map(({ line }) => line).sort((a, b) => a.at - b.at);
  }
}
