import type { Command } from "commander";
import { findMission } from "../../input/find-mission";
import { projectPlace } from "../../session/project-people";
import { withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

const EXAMPLE = `
The ledger of a mission, a task or a plan, with everything below it, from the histories: no worker is needed. It has arguments,
answers and the words of people: keep it where the mission's data may be. The public keys of people.yaml are in it, too.
The output is JSON Lines, with --json as well.

Example:
  $ navigator ledger export order-42 > ledger.jsonl
  $ navigator ledger verify ledger.jsonl`;

/** `navigator ledger export`. */
export function registerLedgerExport(ledger: Command, io: CommandIo): void {
  ledger
    .command("export <id>")
    .description("print the ledger of a mission, a task or a plan")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .addHelpText("after", EXAMPLE)
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const [{ loadPeople }, { hasPeople }, { file }] = await Promise.all([
          import("../../../node/identity/people-on-disk"),
          import("../../../core/review/people/people-file"),
          projectPlace(io),
        ]);
        const people = loadPeople(file);
        io.document(
          await findMission(id, (workflowId) => client.ledger(workflowId, hasPeople(people) ? people : null)),
        );
        return EXIT.done;
      }),
    );
}
