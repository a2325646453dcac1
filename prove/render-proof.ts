import { type Colors, renderDuration, renderTable } from "../src/cli/terminal/render";
import type { ProofOverview, ProofReport, ProofViolation, ProvedProject, ToolContract } from "./frame/report";

/** A report for people: the promise, what was counted, and each violation with the command that shows it again. */
export function proofText(report: ProofReport, color: Colors): string {
  const { name, promise, ok, seed, took_ms, figures, project, violations } = report;
  const verdict = ok ? color.green("is kept") : color.red("is broken");
  return [
    `${color.bold(name)}: ${promise}`,
    `The promise ${verdict}. Seed ${seed}, ${renderDuration(took_ms)}.`,
    "",
    renderTable(Object.entries(figures).map(([figure, count]) => [`  ${figure.replaceAll("_", " ")}`, String(count)])),
    ...(project === undefined ? [] : ["", projectText(project, color)]),
    ...violations.flatMap((violation) => ["", violationText(violation, color)]),
  ].join("\n");
}

/** What was counted of each tool of a project, what was left out, and what the reader must know. */
function projectText({ folder, tools, left_out, notes }: ProvedProject, color: Colors): string {
  const head = [
    "  tool",
    "effect",
    "identity",
    "same effect",
    "effects",
    "repeats",
    "losses",
    "conflicts reported",
    "stops",
  ];
  const rows = tools.map((tool) => [
    `  ${tool.name}`,
    tool.effect,
    tool.identity?.join(", ") ?? "all arguments",
    tool.on_same_effect,
    String(tool.effects),
    String(tool.repeats),
    String(tool.losses),
    `${tool.conflicts_reported} of ${tool.conflicts}`,
    String(tool.stops),
  ]);
  return [
    `${color.bold("Tools")} of ${folder}`,
    renderTable([head, ...rows]),
    ...tools.flatMap(({ name, contract }) => (contract === undefined ? [] : contractLines(name, contract, color))),
    ...left_out.map(({ name, reason }) => `  left out: ${name} (${reason})`),
    ...tools.flatMap(({ name, warnings }) => warnings.map((one) => `  ${color.yellow("warning")} ${name}: ${one}`)),
    ...notes.map((note) => `  note: ${note}`),
  ].join("\n");
}

/** The table for PROMISES.md, then the violations of each proof. */
export function overviewText({ table, proofs }: ProofOverview, color: Colors): string {
  const broken = proofs.filter(({ ok }) => !ok).map((report) => proofText(report, color));
  return [table, ...broken].join("\n");
}

function contractLines(name: string, { args, checks }: ToolContract, color: Colors): string[] {
  const mark = (ok: boolean) => (ok ? color.green("✓") : color.red("✗"));
  return [`  called ${name} ${JSON.stringify(args)}`, ...checks.map(({ check, ok }) => `    ${mark(ok)} ${check}`)];
}

function violationText({ what, where, smallest, command }: ProofViolation, color: Colors): string {
  return [
    `${color.red("violation")} at ${where}: ${what}`,
    ...(smallest === null ? [] : [`  smallest case: ${JSON.stringify(smallest)}`]),
    `  ${color.cyan("→")} ${command}`,
  ].join("\n");
}
