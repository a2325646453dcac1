import type { Command } from "commander";
import { EXIT } from "../exit";
import type { CommandIo } from "../io";
import { jsonArgument } from "../json-argument";
import { journalTable } from "../render-missions";
import { withSession } from "../session";

export function registerJournal(program: Command, io: CommandIo): void {
  const journal = program.command("journal").description("show, write or export the journal of a mission");

  journal
    .command("show <id>")
    .description("the records of a mission, from its history alone (no worker needed)")
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const { rows } = await client.agent(id).projection();
        io.result(rows, () => (rows.length === 0 ? "The journal is empty." : journalTable(rows)));
        return EXIT.done;
      }),
    );

  journal
    .command("export <id>")
    .description("the journal as one JSON object, every value whole: what `run --journal @FILE` takes")
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const whole = await client.agent(id).wholeJournal();
        io.result(whole, () => JSON.stringify(whole, null, 2));
        return EXIT.done;
      }),
    );

  journal
    .command("set <id> <journal-id> <value>")
    .description("record a decision in the journal of a running or waiting mission; VALUE is JSON or @FILE")
    .requiredOption("--by <name>", "who decides")
    .option("--note <text>", "why")
    .option("--overwrite", "replace a record that exists")
    .option("--signal", "send it as a plain Temporal signal: needs no worker now, and is not answered")
    .addHelpText("after", "\nExample:\n  navigator journal set order-42 payment_confirmed_42 true --by anna\n")
    .action((id: string, journalId: string, value: string, options: SetOptions) =>
      withSession(io, false, async ({ client }) => {
        const decision = {
          id: journalId,
          value: jsonArgument("VALUE", value),
          by: options.by,
          ...(options.note === undefined ? {} : { note: options.note }),
          ...(options.overwrite ? { overwrite: true } : {}),
        };
        if (options.signal) {
          await client.agent(id).signalDecision(decision);
          io.result({ sent: true }, () => "Sent. A signal is not answered: see `navigator log` for what became of it.");
        } else {
          const row = await client.agent(id).recordDecision(decision);
          io.result(row, () => `Recorded ${row.id}: ${row.text} (by ${row.by})`);
        }
        return EXIT.done;
      }),
    );
}

interface SetOptions {
  by: string;
  note?: string;
  overwrite?: boolean;
  signal?: boolean;
}
