import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { HistoryFormatError } from "../../core/journal/history";
import { projectJournal } from "../../core/journal/project";
import { CliError, EXIT } from "../exit";
import type { CommandIo } from "../io";
import { missionsText } from "../render-missions";
import { withSession } from "../session";

const FOLLOW_MS = 500;

export function registerLog(program: Command, io: CommandIo): void {
  program
    .command("log [id]")
    .description("Mission Log and timeline of a mission or task, with its child runs, from history alone")
    .option("--follow", "go on printing until it ends")
    .option("--from-history <file>", "an exported history (JSON) instead of a server")
    .addHelpText("after", "\nExample:\n  navigator log task/order-42\n  navigator log --from-history history.json\n")
    .action((id: string | undefined, options: { follow?: boolean; fromHistory?: string }) => {
      if (options.fromHistory !== undefined) return fromFile(io, options.fromHistory);
      if (id === undefined)
        throw new CliError("missing_id", "Name a mission, or give --from-history FILE.", {
          hint: "navigator log task/order-42",
        });
      return withSession(io, false, async ({ client }) => {
        const { missionTree } = await import("../../missions");
        const { agentWorkflowId } = await import("../../client");
        const workflowId = agentWorkflowId(id);
        let printed = "";
        for (;;) {
          const tree = await missionTree(client, workflowId);
          const text = missionsText(tree);
          const over = tree.projection.timeline.some((entry) => entry.kind === "end");
          if (!options.follow || io.json) {
            io.result(tree, () => text);
            return EXIT.done;
          }
          if (text !== printed) io.out(text);
          printed = text;
          if (over) return EXIT.done;
          await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
        }
      });
    });
}

function fromFile(io: CommandIo, file: string): void {
  const text = readFileSync(file, "utf8");
  try {
    const projection = projectJournal(JSON.parse(text));
    const tree = { workflow_id: file, projection, children: [] };
    io.result(tree, () => missionsText(tree));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HistoryFormatError)
      throw new CliError("invalid_history", `${file} is no exported history: ${error.message}`, {
        hint: "Export one with `temporal workflow show --workflow-id ID --output json` or from the Web UI.",
      });
    throw error;
  }
}
