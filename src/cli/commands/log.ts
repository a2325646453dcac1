import type { Command } from "commander";
import type { NavigatorClient } from "../../client/client";
import type { MissionTree } from "../../client/mission-tree";
import { NavigatorError } from "../../core/base/navigator-error";
import { endIn } from "../../core/history/read/timeline-entry";
import { findMission } from "../input/find-mission";
import { withSession } from "../session/session";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const FOLLOW_MS = 500;

export function registerLog(program: Command, io: CommandIo): void {
  program
    .command("log [id]")
    .description("what a mission or task and its child runs did, turn by turn, read from the history")
    .option("--full", "whole programs, arguments, answers and messages (default: their beginnings)")
    .option("--follow", "print events as they happen, until the mission ends")
    .option("--from-history <file>", "an exported history (JSON) instead of a server; - reads standard input")
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator log task/order-42\n  $ navigator log order-42 --full\n  $ navigator log --from-history history.json",
    )
    .action((id: string | undefined, options: Options) => {
      if (options.fromHistory !== undefined) {
        if (id !== undefined || options.follow)
          throw new NavigatorError("bad_usage", "--from-history takes no id and cannot be combined with --follow.", {
            details: { path: "--from-history" },
          });
        return fromFile(io, options.fromHistory, options.full === true);
      }
      if (id === undefined)
        throw new NavigatorError("bad_usage", "Name a mission or task, or give --from-history FILE.", {
          hint: "navigator log task/order-42",
          details: { path: "ID" },
        });
      return withSession(io, false, async ({ client }) => {
        const { missionsText } = await import("../show/render-missions");
        const { missionTree } = await import("../../client/mission-tree");
        const tree = await findMission(id, (workflowId) => missionTree(client, workflowId));
        if (options.follow) return follow(io, client, tree);
        const { blockedLines } = await import("../session/tell-blocked");
        const blocked = endIn(tree.projection.timeline) !== undefined ? [] : await client.blocked(tree.workflow_id);
        io.result(blocked.length === 0 ? tree : { ...tree, blocked }, () =>
          [missionsText(tree, options.full === true, io.color), ...blockedLines(blocked)].join("\n"),
        );
        return EXIT.done;
      });
    });
}

interface Options {
  full?: boolean;
  follow?: boolean;
  fromHistory?: string;
}

/** One line for each event as it happens, then the Mission Logs. With --json: JSON Lines. */
async function follow(io: CommandIo, client: NavigatorClient, first: MissionTree): Promise<ExitCode> {
  const { flatten, missionTree } = await import("../../client/mission-tree");
  const { endLines, peoplesLogText, timelineRow } = await import("../show/render-missions");
  const { LogFollower } = await import("../session/follow-log");
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
  const [{ fromHistoryFile }, { HistoryFormatError }, { projectJournal }, { storyOf }, { missionsText }] =
    await Promise.all([
      import("../input/history-file"),
      import("../../core/history/read/decode-events"),
      import("../../core/history/read/project"),
      import("../../core/history/trace/story"),
      import("../show/render-missions"),
    ]);
  const tree = fromHistoryFile(file, (history, workflow_id): MissionTree => {
    const projection = projectJournal(history);
    if (projection.timeline.length === 0) throw new HistoryFormatError("it has no workflow events");
    return { workflow_id, projection, story: storyOf([history]), children: [] };
  });
  io.result(tree, () => missionsText(tree, full, io.color));
}
