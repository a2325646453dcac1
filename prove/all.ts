import type { ProofDefinition } from "./frame/proof";
import { ProofOverview as Overview, type ProofOverview, type ProofReport } from "./frame/report";
import { type ProofRun, runProof } from "./frame/run-proof";

/** The line of an overview about the code that was run. */
export interface CodeVersion {
  version: string;
  /** null outside a repository. */
  commit: string | null;
}

/** Runs every proof with its default sizes, one after another, and gives their reports and a table for PROMISES.md. */
export async function runAllProofs(
  proofs: readonly ProofDefinition[],
  code: CodeVersion,
  {
    progress,
    ...run
  }: Pick<ProofRun, "seed" | "quick" | "connect"> & {
    progress?(name: string, done: number, total: number): void;
  },
): Promise<ProofOverview> {
  const started = performance.now();
  const reports: ProofReport[] = [];
  for (const proof of proofs)
    reports.push(await runProof(proof, { ...run, progress: (done, total) => progress?.(proof.name, done, total) }));
  return Overview.parse({
    name: "all",
    ok: reports.every(({ ok }) => ok),
    seed: run.seed,
    took_ms: Math.round(performance.now() - started),
    ...code,
    proofs: reports,
    table: promisesTable(reports, code, run),
  });
}

/** The Markdown table of PROMISES.md: each promise with what was counted, the commit and the seed. */
function promisesTable(
  reports: readonly ProofReport[],
  { version, commit }: CodeVersion,
  { seed, quick }: Pick<ProofRun, "seed" | "quick">,
): string {
  const how = `navigator prove all --seed ${seed}${quick ? " --quick" : ""}`;
  const rows = reports.map(({ name, promise, ok, figures, took_ms }) => [
    `\`${name}\``,
    promise,
    ok ? "kept" : "**broken**",
    Object.entries(figures)
      .map(([figure, count]) => `${count} ${figure.replaceAll("_", " ")}`)
      .join(", "),
    `${(took_ms / 1000).toFixed(1)} s`,
  ]);
  const lines = [["proof", "promise", "result", "figures", "time"], ["---", "---", "---", "---", "---"], ...rows];
  const table = lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
  return `Version ${version}, ${commit === null ? "no commit" : `commit ${commit}`}, seed ${seed}: \`${how}\`\n\n${table}\n`;
}
