import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { joinLines } from "../../../core/base/one-line";
import { readHeadWord } from "../../../core/effects/chain/head";
import type { LedgerVerdict, ShownDecision } from "../../../core/history/export/verdict";
import { hasPeople, type PeopleFile } from "../../../core/review/people/people-file";
import { readTextFile } from "../../../node/data-file";
import { verifyExportedLedger } from "../../../node/identity/ledger-signature";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { findMission } from "../../input/find-mission";
import { inputBytes } from "../../input/text-input";
import { projectPlace } from "../../session/project-people";
import { withSession } from "../../session/session";
import { actorText } from "../../show/review-course";
import { CONFIG_OPTION, type CommandSpec, type TopCommands } from "../../terminal/command";

import { badUsage, EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import type { Colors } from "../../terminal/render";

/** `navigator ledger export`. */
const ledgerExportCommands: readonly CommandSpec[] = [
  {
    name: "export <id>",
    about: "print the ledger of a mission, a task or a plan",
    options: [CONFIG_OPTION],
    notes: `The ledger of a mission, a task or a plan, with everything below it, from the histories: no worker is needed. It has arguments,
answers and the words of people: keep it where the mission's data may be. The public keys of people.yaml are in it, too.
The output is JSON Lines, with --json as well.`,
    examples: ["navigator ledger export order-42 > ledger.jsonl", "navigator ledger verify ledger.jsonl"],
    run: (io: CommandIo, id: string) =>
      withSession(io, "read", async ({ client }) => {
        const { file } = await projectPlace(io);
        const people = loadPeople(file);
        io.document(
          await findMission(id, (workflowId) => client.ledger(workflowId, hasPeople(people) ? people : null)),
        );
      }),
  },
];

interface Options {
  people?: string;
  head?: string;
}

/** `navigator ledger verify`. */
const ledgerVerifyCommands: readonly CommandSpec[] = [
  {
    name: "verify <file>",
    about:
      "check an exported ledger: whether anything was changed, and whether each decision is valid; needs no server",
    options: [
      ["--people <file>", "the people of the project (default: those of the export)"],
      ["--head <seq:hash>", "where the ledger ends at least, as you know it"],
    ],
    notes: `FILE is what \`navigator ledger export\` prints; - reads standard input. No server is asked. Name your own people.yaml with
--people: else the people of the export itself are believed. --head is where you know that the ledger ends, or went past: the
search attribute NavigatorLedgerHead.
Exit code 1 means that something was changed, or a decision is not valid.`,
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

/** `navigator ledger`: who approved what, for somebody who has nothing but a file. */
export const ledgerCommands: TopCommands = {
  ledger: {
    commands: [...ledgerExportCommands, ...ledgerVerifyCommands],
  },
};

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

/**
 * Formats the findings of the check of an exported ledger for people. Names, titles and notes come from the file: none of
 * them can add a line.
 */
export const verdictText = (verdict: LedgerVerdict, color: Colors): string =>
  verdictLines(verdict, color).map(joinLines).join("\n");

function verdictLines(verdict: LedgerVerdict, color: Colors): string[] {
  const { problems, notes, counts, decisions, ends } = verdict;
  return [
    headline(verdict, color),
    ...problems.map(({ line, code, message }) => `  ${line === 0 ? "file" : `line ${line}`}  ${code}: ${message}`),
    ...(counts.links === 0 ? [] : [countsText(verdict)]),
    ...ends.map(({ workflow, seq, head, signed_by, final }) => {
      const signer = signed_by === null ? "not signed" : `signed by ${signed_by}`;
      return color.dim(`  ${workflow} ${final ? "ends" : "has come"} at ${seq}:${head}, ${signer}`);
    }),
    ...(decisions.length === 0
      ? []
      : ["", color.bold("Decisions"), ...decisions.map((one) => decisionText(one, color))]),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => color.yellow(note))]),
  ];
}

function headline({ ok, whole, mission, counts, ends }: LedgerVerdict, color: Colors): string {
  if (!ok) return color.red("The ledger is not valid");
  if (whole) return `${color.green("The ledger is valid")}: ${mission}`;
  const isSigned = ends.every(({ final, signed_by }) => final && signed_by !== null);
  const words =
    counts.signed_heads === 0
      ? "The ledger fits together, but nothing of it is signed yet"
      : isSigned
        ? "The ledger is valid, but it does not show everything"
        : "The ledger is valid up to its last signed heads only";
  return `${color.yellow(words)}: ${mission}. See the notes below.`;
}

const countsText = ({ counts: { links, effects, decisions, verified, signed_heads } }: LedgerVerdict): string =>
  `  ${links} links, ${effects} effects, ${decisions} decisions (${verified} with a valid signature), ${signed_heads} signed heads`;

function decisionText(decision: ShownDecision, color: Colors): string {
  const { line, at, by, choice, title, args, value, note, signed_by } = decision;
  const about = args === undefined ? "" : ` ${JSON.stringify(args)}`;
  const more = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
  const words = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  const signer = signed_by === null ? "not signed" : signed_by === by ? "signed" : `signed by ${signed_by}`;
  return `  ${color.dim(`line ${line}`)}  ${at}  ${actorText(by, decision.for)} (${signer})  ${choice}${more}  ${joinLines(title)}${about}${words}`;
}
