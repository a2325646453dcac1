import { cpus, platform, totalmem } from "node:os";
import { HELP, type Options, readOptions } from "./options";
import { asJson, type Row, renderTable } from "./report";
import { Setting } from "./setting";

/** `npm run bench`: the report goes to stdout, progress to stderr. A missed aim is a finding, not an error. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const started = Date.now();
  const missions = options.comparisons.flatMap((comparison) => comparison.missions);
  // Before the server starts: from here on Ctrl-C waits until what was started can be ended.
  const interrupted = untilInterrupted();
  const setting = await Setting.open(missions, progress);
  try {
    const rows = await Promise.race([measure(options, setting), interrupted]);
    const minutes = ((Date.now() - started) / 60_000).toFixed(1);
    const machine = `Node ${process.versions.node}, ${platform()}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Temporal ${setting.version}`;
    if (options.json) process.stdout.write(`${JSON.stringify({ machine, rows: rows.map(asJson) }, null, 2)}\n`);
    else
      process.stdout.write(`${machine}\n\n${renderTable(rows)}\n\nMedians of alternating runs; ${minutes} minutes.\n`);
  } finally {
    await setting.close();
  }
}

async function measure({ comparisons, quick }: Options, setting: Setting): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [i, comparison] of comparisons.entries()) {
    progress(`${i + 1}/${comparisons.length} ${comparison.about} ...`);
    rows.push(...(await comparison.run({ setting, quick, progress })));
  }
  return rows;
}

const progress = (line: string) => void process.stderr.write(`${line}\n`);

/** Ctrl-C must not leave a server and workers behind. */
function untilInterrupted(): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)));
  });
  stopped.catch(() => {}); // nobody listens until the server is up
  return stopped;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
