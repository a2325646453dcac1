import type { TopCommands } from "../../terminal/command";
import { ledgerExportCommands } from "./export";
import { ledgerVerifyCommands } from "./verify";

/** `navigator ledger`: who approved what, for somebody who has nothing but a file. */
export const ledgerCommands: TopCommands = {
  ledger: {
    commands: [...ledgerExportCommands, ...ledgerVerifyCommands],
  },
};
