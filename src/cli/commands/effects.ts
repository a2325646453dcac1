import { readMissionEffects } from "../../client/mission-effects";
import { HistoryFormatError, writtenFacts } from "../../core/history/read/decode-events";
import { missionEffects } from "../../core/history/trace/mission-effects";
import { findMission } from "../input/find-mission";
import { fromHistoryFile } from "../input/history-file";
import { withSession } from "../session/session";
import { effectsText } from "../show/render-effects";
import type { TopCommands } from "../terminal/command";
import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

interface Options {
  full?: boolean;
  fromHistory?: string;
}

export const effectsCommands: TopCommands = {
  effects: {
    options: [
      ["--full", "whole arguments, and the programs that asked for the effects"],
      ["--from-history <file>", "an exported history (JSON) instead of a server; - reads standard input"],
    ],
    examples: [
      "navigator effects order-42",
      "navigator effects plan/launch --json",
      "navigator effects --from-history history.json",
    ],
    run: (io: CommandIo, id: string | undefined, options: Options) => {
      const full = options.full === true;
      if (options.fromHistory !== undefined) {
        if (id !== undefined) throw badUsage("--from-history", "--from-history takes no id.");
        return fromFile(io, options.fromHistory, full);
      }
      if (id === undefined)
        throw badUsage(
          "ID",
          "Name a mission, a task or a plan, or give --from-history FILE.",
          "navigator effects order-42",
        );
      return withSession(io, "read", async ({ client }) => {
        const shown = await findMission(id, (workflowId) => readMissionEffects(client, workflowId));
        io.result(shown, () => effectsText(shown, full, io.color));
      });
    },
  },
};

async function fromFile(io: CommandIo, file: string, full: boolean): Promise<void> {
  const shown = fromHistoryFile(file, (history, workflow_id) => {
    if (writtenFacts(history).length === 0) throw new HistoryFormatError("it has no workflow events");
    return { ...missionEffects({ workflow_id, runs: [history], children: [] }), questions: [] };
  });
  io.result(shown, () => effectsText(shown, full, io.color));
}
