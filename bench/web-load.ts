import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { NavigatorClient } from "../src/client/client";
import { takeTurns } from "./measure";
import { asJson, type Row, renderTable } from "./report";
import { Setting } from "./setting";
import { fill, WEB_SCRIPTS } from "./web/fill";
import { LISTS } from "./web/lists";
import { Readers } from "./web/readers";
import { WebProcess } from "./web/web-process";

const HELP = `Usage: npm run bench:web -- [options]

Mission Control on a server with many missions: how long each list of its API takes at the 95th percentile, beside the bare
Visibility call, while many readers follow events; and whether the memory of its process stays flat. It starts a server, a
worker and a web process of its own. An aim that was missed is told, and ends with exit code 1.

  --missions <n>  missions that have ended; default 10000
  --reviews <n>   reviews that are open; default 1000
  --readers <n>   readers of events; default 200
  --rounds <n>    requests to each list; default 60
  --json          one JSON object instead of the table
  --help
`;

/** A list that takes longer is felt. */
const AIM_MS = 300;
/** Noise of what the system gives back, and the book of costs. */
const FLAT = 1.15;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      missions: { type: "string", default: "10000" },
      reviews: { type: "string", default: "1000" },
      readers: { type: "string", default: "200" },
      rounds: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const [missions, reviews, count, rounds] = [values.missions, values.reviews, values.readers, values.rounds].map(
    Number,
  ) as [number, number, number, number];
  const setting = await Setting.open(WEB_SCRIPTS as never, progress);
  let web: WebProcess | undefined;
  let readers: Readers | undefined;
  try {
    const taskQueue = setting.queue("web");
    const worker = await setting.worker("navigator", taskQueue, { cached: reviews + 200 });
    const client = new NavigatorClient(setting.client, taskQueue);
    const folder = path.join(setting.folder, "web");
    mkdirSync(folder);
    web = await WebProcess.start({ address: setting.address, taskQueue, folder, token: randomUUID() });
    const began = Date.now();
    const waiting = await fill(client, { missions, reviews }, progress);
    progress(`${missions + reviews} missions in ${Math.round((Date.now() - began) / 1_000)} s.`);
    progress(`${count} readers come ...`);
    readers = await Readers.open(web, waiting, count);
    const rows = await measure(web, client, rounds);
    if (readers.lost > 0) throw new Error(`${readers.lost} readers lost their connection.`);
    await worker.stop();
    const title = `${missions} missions, ${reviews} open reviews, ${count} readers, ${rounds} rounds`;
    if (values.json) process.stdout.write(`${JSON.stringify({ title, rows: rows.map(asJson) }, null, 2)}\n`);
    else process.stdout.write(`${title}\n\n${renderTable(rows)}\n`);
    if (rows.some((row) => asJson(row).met === false)) process.exitCode = 1;
  } finally {
    readers?.close();
    await web?.kill();
    await setting.close();
  }
}

async function measure(web: WebProcess, client: NavigatorClient, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  // What is loaded once is not growth.
  for (let times = 0; times < 10; times++) for (const { path: place } of LISTS) await web.get(place);
  const before = await web.memory();
  for (const { path: place, bare } of LISTS) {
    const { ours, theirs } = await takeTurns(rounds, {
      ours: () => timed(() => web.get(place)),
      theirs: () => timed(() => bare(client)),
    });
    const row: Row = {
      what: place,
      unit: "ms",
      ours: percentile(ours, 0.95),
      theirs: percentile(theirs, 0.95),
      against: "bare Visibility call",
      aim: { at_most: AIM_MS },
    };
    progress(`  ${place}: ${(row.ours as number).toFixed(0)} ms`);
    rows.push(row);
  }
  const after = await web.memory();
  const memory: Row = {
    what: "memory of the web process",
    unit: "KiB",
    ours: after / 1024,
    theirs: before / 1024,
    against: "before the requests",
    aim: { times: FLAT },
  };
  return [...rows, memory];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] as number;
}

const progress = (line: string) => void process.stderr.write(`${line}\n`);

main().then(
  () => process.exit(process.exitCode ?? 0),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  },
);
