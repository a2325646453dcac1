import type { ProofOverview, ProofReport, ProofViolation } from "../../prove/frame/report";
import { type Colors, renderDuration, renderTable } from "../terminal/render";

/** A report for people: the promise, what was counted, and each violation with the command that shows it again. */
export function proofText(report: ProofReport, color: Colors): string {
  const { name, promise, ok, seed, took_ms, figures, violations } = report;
  const verdict = ok ? color.green("holds") : color.red("is broken");
  return [
    `${color.bold(name)}: ${promise}`,
    `The promise ${verdict}. Seed ${seed}, ${renderDuration(took_ms)}.`,
    "",
    renderTable(Object.entries(figures).map(([figure, count]) => [`  ${figure.replaceAll("_", " ")}`, String(count)])),
    ...violations.flatMap((violation) => ["", violationText(violation, color)]),
  ].join("\n");
}

/** The table for PROMISES.md, then the violations of each proof. */
export function overviewText({ table, proofs }: ProofOverview, color: Colors): string {
  const broken = proofs.filter(({ ok }) => !ok).map((report) => proofText(report, color));
  return [table, ...broken].join("\n");
}

function violationText({ what, where, smallest, command }: ProofViolation, color: Colors): string {
  return [
    `${color.red("violation")} at ${where}: ${what}`,
    ...(smallest === null ? [] : [`  smallest case: ${JSON.stringify(smallest)}`]),
    `  ${color.cyan("→")} ${command}`,
  ].join("\n");
}
