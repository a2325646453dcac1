import type { Command } from "commander";
import type { CommandIo } from "../../terminal/io";
import { registerLedgerExport } from "./export";
import { registerLedgerVerify } from "./verify";

/** `navigator ledger`: who approved what, for somebody who has nothing but a file. */
export function registerLedger(program: Command, io: CommandIo): void {
  const ledger = program
    .command("ledger")
    .description("records, effects and decisions of a mission as a file that anybody can check");
  registerLedgerExport(ledger, io);
  registerLedgerVerify(ledger, io);
}
