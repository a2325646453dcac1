import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type CauseWindow, judgeAlerts } from "./soak/alert-windows";
import { CAUSES, type Cause, makeCause, type Scene } from "./soak/causes";
import { type FlatLimits, judgeFlat } from "./soak/flat";
import { stillOpen } from "./soak/left-open";
import { Missions, USUAL } from "./soak/missions";
import { Person } from "./soak/person";
import { causeReport, lifeReports, missionCounts, renderReport, type SoakReport } from "./soak/report";
import { seeded } from "./soak/seeded";
import { Site } from "./soak/site";

const HELP = `Usage: npm run soak -- [options]

Missions of six kinds for a long time, on a server of its own, with two workers, Mission Control and a real Prometheus with the
alert rules of deploy/prometheus. Workers are killed and deployed anew, the server and Mission Control are restarted, and the cause
of each alert is made once. Then each mission must have ended with the right result, each charge must have been made once,
nothing may be open, memory and open files must be flat, and each alert must have fired with its cause and at no other time.

  --minutes <n>  how long missions are started; default 30. It goes on until all causes were made
  --rate <n>     missions a minute; default 20
  --seed <n>     which missions, and when; default: of the clock
  --causes <n>   only these causes of alerts, by number: 1,3,14; default all
  --json <file>  writes the report there, too
  --keep         keeps the folder with the logs
  --help
`;

const MINUTE_MS = 60_000;
const SETTLE_MS = 5 * MINUTE_MS;

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "30" },
      rate: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      causes: { type: "string", default: CAUSES.map((_, i) => i + 1).join() },
      json: { type: "string" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return true;
  }
  const [minutes, rate, seed] = [values.minutes, values.rate, values.seed].map(Number) as [number, number, number];
  const causes = values.causes.split(",").map((number) => {
    const cause = CAUSES[Number(number) - 1];
    if (cause === undefined)
      throw new Error(`There is no cause ${number}: they have the numbers 1 to ${CAUSES.length}.`);
    return cause;
  });
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-soak-"));
  progress(`Its logs are in ${folder}/logs.`);
  const site = await Site.open(folder);
  // Nothing of it stays behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void site.close().finally(() => process.exit(130)));
  try {
    const report = await soak(site, { minutes, rate, seed, causes });
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(renderReport(report));
    return report.violations.length === 0;
  } finally {
    await site.close();
    if (!values.keep) rmSync(folder, { recursive: true, force: true });
  }
}

interface Soak {
  minutes: number;
  rate: number;
  seed: number;
  causes: Cause[];
}

async function soak(site: Site, { minutes, rate, seed, causes }: Soak): Promise<SoakReport> {
  const random = seeded(seed);
  const missions = new Missions(site.client, `s${seed}`);
  const person = new Person(site.client, site.outside);
  const scene: Scene = { site, missions, person };
  const windows: CauseWindow[] = [];
  /** Causes that could not be made or mended. */
  const broken: string[] = [];
  const end = Date.now() + minutes * MINUTE_MS;
  let goesOn = true;
  const starting = (async () => {
    for (; goesOn; await sleep((MINUTE_MS / rate) * (0.5 + random())))
      missions.start(USUAL[Math.floor(random() * USUAL.length)] as (typeof USUAL)[number]);
  })();
  try {
    // Enough time before the first for the counters to be there, and after the last to see that all is silent.
    const pause = Math.max(8_000, (minutes * MINUTE_MS - causes.length * 75_000) / (causes.length + 2));
    await sleep(pause);
    for (const cause of causes) {
      await makeCause(cause, scene, progress).then(
        (window) => windows.push(window),
        (error: Error) => {
          progress(`  ${error.message}`);
          broken.push(`${cause.name}: ${error.message}`);
        },
      );
      await sleep(pause / 2);
      // No alert is for this: the worker is back before long.
      await site.killWorker("b");
      await site.startWorker("b", { version: site.version });
      await sleep(pause / 2);
    }
    while (Date.now() < end) await sleep(1_000);
  } finally {
    goesOn = false;
    await starting;
    progress(`${missions.all.length} missions were started. Waiting for their ends ...`);
    await missions.settle(SETTLE_MS);
    await person.stop();
  }
  const limits: FlatLimits = { ...LIMITS, shortest_minutes: Math.min(LIMITS.shortest_minutes, minutes / 2) };
  const { outside, lives, prometheus, alerts } = site;
  const all = causes.length >= CAUSES.length ? alerts : windows.flatMap(({ expects }) => expects);
  return {
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    seed,
    minutes,
    missions: missionCounts(missions.all),
    charges: outside.charges.size,
    repeated_requests: outside.repeats,
    decisions: person.decisions,
    messages: outside.messages,
    kills: site.kills,
    deploys: site.deploys,
    causes: causeReport(windows, prometheus.episodes),
    lives: lifeReports(lives, limits.shortest_minutes),
    violations: [
      ...broken,
      ...missions.judge(),
      ...outside.judge(missions.charges()),
      ...(await stillOpen(site.client)),
      ...judgeFlat(lives, limits),
      ...judgeAlerts(prometheus.episodes, windows, all),
    ],
  };
}

/** A process that grows so fast would double its memory in a working day. */
const LIMITS: FlatLimits = { rss_per_minute: 1.5 * 2 ** 20, files_per_minute: 0.5, shortest_minutes: 15 };

const progress = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

main().then(
  (holds) => process.exit(holds ? 0 : 1),
  (error: unknown) => {
    progress(`error ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  },
);
