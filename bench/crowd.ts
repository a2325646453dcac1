import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runCrowd } from "./crowd/run";

const HELP = `Usage: npm run soak:mcp -- [options]

Orchestrators of three kinds (official clients of MCP 2025-11-25 over stdio and over HTTP, and of 2026-07-28) work off one queue of
tasks. Every tenth answer is thrown away and asked for again, every tenth report is sent twice at once, and MCP servers, the worker
and the Temporal server are killed. Nobody may get a task that another one has, and no confirmed result may be lost.

  --clients <n>  default 50
  --tasks <n>    default 2000
  --kills <n>    default 24
  --lease <s>    how long a claim lasts; default 60
  --seed <n>     default 1
  --json <file>  writes the report there, too
  --help
`;

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      clients: { type: "string", default: "50" },
      tasks: { type: "string", default: "2000" },
      kills: { type: "string", default: "24" },
      lease: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return true;
  }
  const of = (name: "clients" | "tasks" | "kills" | "lease" | "seed"): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 0)
      throw new Error(`--${name} must be a whole number, got "${values[name]}".`);
    return value;
  };
  const sizes = {
    clients: of("clients"),
    tasks: of("tasks"),
    kills: of("kills"),
    seed: of("seed"),
    lease_s: of("lease"),
  };
  let told = -1;
  const report = await runCrowd(sizes, (done) => {
    const tenth = Math.floor((done * 10) / sizes.tasks);
    if (tenth > told) process.stderr.write(`${done} of ${sizes.tasks} tasks are done\n`);
    told = tenth;
  });
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  const lines = Object.entries(report.figures).map(
    ([name, count]) => `  ${name.replaceAll("_", " ").padEnd(24)}${count}`,
  );
  const verdict =
    report.violations.length === 0 ? "No double claim, no lost result." : report.violations.slice(0, 20).join("\n");
  process.stdout.write(
    `${lines.join("\n")}\n  ${"took s".padEnd(24)}${Math.round(report.took_ms / 1_000)}\n${verdict}\n`,
  );
  return report.violations.length === 0;
}

main().then(
  (isFine) => process.exit(isFine ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
