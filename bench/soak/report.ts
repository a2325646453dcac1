import type { CauseWindow, Episode } from "./alert-windows";
import { growthOf, type Life, median } from "./flat";
import type { Mission } from "./missions";

/** What a soak has found. */
export interface SoakReport {
  commit: string;
  seed: number;
  minutes: number;
  /** By kind: how many, and how long the middle one took, in seconds. */
  missions: { [kind: string]: { count: number; median_s: number } };
  charges: number;
  /** Requests of the payment service whose key was charged before: they had no effect. */
  repeated_requests: number;
  decisions: number;
  messages: number;
  kills: number;
  deploys: number;
  causes: { cause: string; alerts: string[]; seconds: number }[];
  lives: LifeReport[];
  /** Empty: all holds. */
  violations: string[];
}

interface LifeReport {
  name: string;
  minutes: number;
  rss_mib: { first: number; median: number; last: number };
  rss_mib_per_minute: number;
  files: number;
  files_per_minute: number;
}

const MIB = 2 ** 20;
const rounded = (value: number): number => Math.round(value * 100) / 100;

export function missionCounts(missions: readonly Mission[]): SoakReport["missions"] {
  const kinds = [...new Set(missions.map(({ kind }) => kind))];
  return Object.fromEntries(
    kinds.map((kind) => {
      const own = missions.filter((one) => one.kind === kind);
      const times = own.flatMap(({ started, ended }) => (ended === null ? [] : [(ended - started) / 1_000]));
      return [kind, { count: own.length, median_s: times.length === 0 ? 0 : rounded(median(times)) }];
    }),
  );
}

export const causeReport = (windows: readonly CauseWindow[], episodes: readonly Episode[]): SoakReport["causes"] =>
  windows.map(({ cause, from, to }) => ({
    cause,
    alerts: [...new Set(episodes.filter((one) => one.from >= from && one.from <= to).map(({ alert }) => alert))],
    seconds: Math.round((to - from) / 1_000),
  }));

/** Lives that are long enough to be judged. */
export const lifeReports = (lives: readonly Life[], shortest_minutes: number): LifeReport[] =>
  lives.flatMap(({ name, samples }) => {
    const growth = growthOf({ samples }, shortest_minutes);
    if (growth === null) return [];
    return [
      {
        name,
        minutes: rounded(growth.minutes),
        rss_mib: {
          first: Math.round((samples[0]?.rss ?? 0) / MIB),
          median: Math.round(growth.rss_median / MIB),
          last: Math.round((samples.at(-1)?.rss ?? 0) / MIB),
        },
        rss_mib_per_minute: rounded(growth.rss_per_minute / MIB),
        files: growth.files_median,
        files_per_minute: rounded(growth.files_per_minute),
      },
    ];
  });

export function renderReport(report: SoakReport): string {
  const missions = Object.entries(report.missions).map(
    ([kind, { count, median_s }]) => `  ${kind.padEnd(12)}${String(count).padStart(5)}   ${median_s} s`,
  );
  const causes = report.causes.map(({ cause, alerts, seconds }) => `  ${cause} (${seconds} s): ${alerts.join(", ")}`);
  const lives = report.lives.map(
    ({ name, minutes, rss_mib: { first, median: middle, last }, rss_mib_per_minute, files, files_per_minute }) =>
      `  ${name.padEnd(20)}${minutes.toFixed(1).padStart(6)} min  ${first} -> ${middle} -> ${last} MiB (${rss_mib_per_minute} a minute), ${files} files (${files_per_minute} a minute)`,
  );
  return [
    `Soak of ${report.minutes} minutes, seed ${report.seed}, commit ${report.commit}`,
    "",
    "missions, and how long the middle one took",
    ...missions,
    `  ${report.charges} charges, ${report.repeated_requests} repeated requests without effect, ${report.decisions} decisions, ${report.messages} messages, ${report.kills} kills, ${report.deploys} deploys`,
    "",
    "causes and the alerts that fired",
    ...causes,
    "",
    "memory at the start, in the middle once warm, and at the end",
    ...lives,
    "",
    ...(report.violations.length === 0 ? ["All holds."] : report.violations.map((one) => `NOT TRUE: ${one}`)),
    "",
  ].join("\n");
}
