import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { readHeadWord } from "../../../core/effects/chain/head";
import type { PeopleFile } from "../../../core/review/people/people-file";
import { readTextFile } from "../../../node/data-file";
import { verifyExportedLedger } from "../../../node/identity/ledger-signature";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { inputBytes } from "../../input/text-input";
import { verdictText } from "../../show/render-ledger";
import type { CommandSpec } from "../../terminal/command";
import { badUsage, EXIT } from "../../terminal/exit";

import type { CommandIo } from "../../terminal/io";

interface Options {
  people?: string;
  head?: string;
}

/** `navigator ledger verify`. */
export const ledgerVerifyCommands: readonly CommandSpec[] = [
  {
    name: "verify <file>",
    about: "check an exported ledger: whether anything was changed, and whether each decision holds; needs no server",
    options: [
      ["--people <file>", "the people of the project (default: those of the export)"],
      ["--head <seq:hash>", "where the ledger ends at least, as you know it"],
    ],
    notes: `FILE is what \`navigator ledger export\` prints; - reads standard input. No server is asked. Name your own people.yaml with
--people: else the people of the export itself are believed. --head is where you know that the ledger ends, or went past: the
search attribute NavigatorLedgerHead.
Exit code 1 means that something was changed, or a decision does not hold.`,
    examples: [
      "navigator ledger verify ledger.jsonl --people people.yaml",
      "navigator ledger verify ledger.jsonl --head 12:2jmj7l5rSw0yVb_vlWAYkK_YBwk2jmj7l5rSw0yVb_v",
    ],
    run: async (io: CommandIo, file: string, { people, head }: Options) => {
      const known = head === undefined ? undefined : readHeadWord(head);
      if (known === null)
        throw badUsage(
          "--head",
          `--head must be SEQ:HASH, got "${head}".`,
          "Read it from the search attribute NavigatorLedgerHead of the mission.",
        );
      const bytes = inputBytes(file);
      const verdict = await verifyExportedLedger(bytes, {
        ...defined({ head: known }),
        ...(people === undefined ? {} : { people: await peopleOf(people) }),
      });
      if (verdict.mission === "" && verdict.counts.lines === 0 && !looksLikeLedger(bytes))
        throw new NavigatorError("invalid_input", `${file} is no exported ledger.`, {
          hint: "Export one with: navigator ledger export RUN > FILE",
          details: { path: file },
        });
      io.result(verdict, () => verdictText(verdict, io.color));
      if (!verdict.ok) process.exitCode = EXIT.failed;
    },
  },
];

/** The people of a file that is there and names somebody: with nobody, every signature of the ledger would look forged. */
async function peopleOf(file: string): Promise<PeopleFile> {
  readTextFile(file);
  const found = loadPeople(file);
  if (Object.keys({ ...found.people, ...found.services }).length > 0) return found;
  throw new NavigatorError("bad_project", `${file} has no people.`, {
    hint: "Name the people.yaml of the project. Without --people those of the export are believed.",
    details: { path: file },
  });
}

/** One that was damaged is a ledger still. */
const looksLikeLedger = (bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes.subarray(0, 100_000)).includes('"line":"l');
