import { joinLines } from "../../core/base/one-line";
import type { LedgerVerdict, ToldDecision } from "../../core/history/export/verdict";
import type { Colors } from "../terminal/render";
import { actorText } from "./review-course";

/**
 * What the check of an exported ledger found, for people. Names, titles and notes are those of the file: none of them can
 * make a line of its own.
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
  if (!ok) return color.red("The ledger does not hold");
  if (whole) return `${color.green("The ledger holds")}: ${mission}`;
  const isSigned = ends.every(({ final, signed_by }) => final && signed_by !== null);
  const words =
    counts.signed_heads === 0
      ? "The ledger fits together, but nothing of it is signed yet"
      : isSigned
        ? "The ledger holds, but it does not show everything"
        : "The ledger holds up to its last signed heads only";
  return `${color.yellow(words)}: ${mission}. See the notes below.`;
}

const countsText = ({ counts: { links, effects, decisions, verified, signed_heads } }: LedgerVerdict): string =>
  `  ${links} links, ${effects} effects, ${decisions} decisions (${verified} with a signature that holds), ${signed_heads} signed heads`;

function decisionText(decision: ToldDecision, color: Colors): string {
  const { line, at, by, choice, title, args, value, note, signed_by } = decision;
  const about = args === undefined ? "" : ` ${JSON.stringify(args)}`;
  const more = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
  const words = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  const signer = signed_by === null ? "not signed" : signed_by === by ? "signed" : `signed by ${signed_by}`;
  return `  ${color.dim(`line ${line}`)}  ${at}  ${actorText(by, decision.for)} (${signer})  ${choice}${more}  ${title}${about}${words}`;
}
