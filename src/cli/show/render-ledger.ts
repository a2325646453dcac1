import type { LedgerVerdict, ToldDecision } from "../../core/chain-export/verdict";
import type { Colors } from "../terminal/render";

/** What the check of an exported ledger found, for people. */
export function verdictText(verdict: LedgerVerdict, color: Colors): string {
  const { ok, whole, mission, problems, notes, counts, decisions, ends } = verdict;
  return [
    !ok
      ? color.red("The ledger does not hold")
      : whole
        ? `${color.green("The ledger holds")}: ${mission}`
        : `${color.yellow("The ledger holds up to its last signed heads only")}: ${mission}. See the notes below.`,
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
  ].join("\n");
}

const countsText = ({ counts: { links, effects, decisions, verified, signed_heads } }: LedgerVerdict): string =>
  `  ${links} links, ${effects} effects, ${decisions} decisions (${verified} with a signature that holds), ${signed_heads} signed heads`;

function decisionText(
  { line, at, by, choice, title, args, value, note, signed_by }: ToldDecision,
  color: Colors,
): string {
  const about = args === undefined ? "" : ` ${JSON.stringify(args)}`;
  const more = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
  const words = note === undefined ? "" : `: ${JSON.stringify(note)}`;
  const signer = signed_by === null ? "not signed" : signed_by === by ? "signed" : `signed by ${signed_by}`;
  return `  ${color.dim(`line ${line}`)}  ${at}  ${by} (${signer})  ${choice}${more}  ${title}${about}${words}`;
}
