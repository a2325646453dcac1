import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { findMission } from "../input/find-mission";
import { withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

interface Options {
  full?: boolean;
  fromHistory?: string;
}

export function registerEffects(program: Command, io: CommandIo): void {
  program
    .command("effects [id]")
    .description("what a mission, task or plan did to the world, each effect once, read from the history")
    .option("--full", "whole arguments, and the programs that asked for the effects")
    .option("--from-history <file>", "an exported history (JSON) instead of a server; - reads standard input")
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator effects order-42\n  $ navigator effects plan/launch --json\n  $ navigator effects --from-history history.json",
    )
    .action((id: string | undefined, options: Options) => {
      const full = options.full === true;
      if (options.fromHistory !== undefined) {
        if (id !== undefined)
          throw new NavigatorError("bad_usage", "--from-history takes no id.", { details: { path: "--from-history" } });
        return fromFile(io, options.fromHistory, full);
      }
      if (id === undefined)
        throw new NavigatorError("bad_usage", "Name a mission, a task or a plan, or give --from-history FILE.", {
          hint: "navigator effects order-42",
          details: { path: "ID" },
        });
      return withSession(io, false, async ({ client }) => {
        const [{ readMissionEffects }, { effectsText }] = await Promise.all([
          import("../../client/mission-effects"),
          import("../show/render-effects"),
        ]);
        const told = await findMission(id, (workflowId) => readMissionEffects(client, workflowId));
        io.result(told, () => effectsText(told, full, io.color));
        return EXIT.done;
      });
    });
}

async function fromFile(io: CommandIo, file: string, full: boolean): Promise<void> {
  const [{ fromHistoryFile }, { HistoryFormatError, writtenFacts }, { missionEffects }, { effectsText }] =
    await Promise.all([
      import("../input/history-file"),
      import("../../core/history/read/decode-events"),
      import("../../core/history/trace/mission-effects"),
      import("../show/render-effects"),
    ]);
  const told = fromHistoryFile(file, (history, workflow_id) => {
    if (writtenFacts(history).length === 0) throw new HistoryFormatError("it has no workflow events");
    return { ...missionEffects({ workflow_id, runs: [history], children: [] }), questions: [] };
  });
  io.result(told, () => effectsText(told, full, io.color));
}
