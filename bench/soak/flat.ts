/** Whether a number that is sampled while a process lives stays where it is. */

/** One look at a process. */
export interface Sample {
  /** Ms since 1970. */
  at: number;
  /** Bytes of main memory that the process has filled itself. */
  rss: number;
  /** Open files, sockets included. */
  files: number;
}

/** From its start to its end: a process that is started again has another life. */
export interface Life {
  name: string;
  role: "server" | "worker" | "web";
  pid: number;
  samples: Sample[];
}

/** How fast a life grows once it is warm: after the first third. */
export interface Growth {
  minutes: number;
  rss_median: number;
  rss_per_minute: number;
  files_median: number;
  files_per_minute: number;
}

/** What counts as flat, by minute. A leak of one kilobyte for each of 20 missions would be 20 kB. */
export interface FlatLimits {
  rss_per_minute: number;
  files_per_minute: number;
  /** Shorter lives tell nothing: what is loaded and cached first would count as growth. */
  shortest_minutes: number;
}

const MINUTE_MS = 60_000;

/** null: too short to tell. */
export function growthOf({ samples }: Pick<Life, "samples">, shortest_minutes: number): Growth | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return null;
  const minutes = (last.at - first.at) / MINUTE_MS;
  const warm = samples.filter(({ at }) => at - first.at >= (last.at - first.at) / 3);
  if (minutes < shortest_minutes || warm.length < 6) return null;
  const by = (of: (sample: Sample) => number) => warm.map((sample) => [sample.at / MINUTE_MS, of(sample)] as const);
  return {
    minutes,
    rss_median: median(warm.map(({ rss }) => rss)),
    rss_per_minute: slope(by(({ rss }) => rss)),
    files_median: median(warm.map(({ files }) => files)),
    files_per_minute: slope(by(({ files }) => files)),
  };
}

/** What grows, in a sentence each. A role in which no process lived long enough is told, too. */
export function judgeFlat(lives: readonly Life[], limits: FlatLimits): string[] {
  const judged = lives.map((life) => ({ life, growth: growthOf(life, limits.shortest_minutes) }));
  const problems = judged.flatMap(({ life, growth }) => {
    if (growth === null) return [];
    const memory = growth.rss_per_minute / 2 ** 20;
    const memoryLimit = limits.rss_per_minute / 2 ** 20;
    return [
      ...(memory > memoryLimit
        ? [`${life.name}: memory grows by ${memory.toFixed(2)} MiB a minute, more than ${memoryLimit.toFixed(2)}`]
        : []),
      ...(growth.files_per_minute > limits.files_per_minute
        ? [`${life.name}: open files grow by ${growth.files_per_minute.toFixed(2)} a minute`]
        : []),
    ];
  });
  const roles = ["server", "worker", "web"] as const;
  const untold = roles.filter((role) => !judged.some(({ life, growth }) => life.role === role && growth !== null));
  return [...problems, ...untold.map((role) => `no ${role} lived for ${limits.shortest_minutes} minutes`)];
}

/** The median of the slopes between all pairs (Theil-Sen): single peaks, as before a collection of garbage, do not count. */
export function slope(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], i) =>
    points.slice(i + 1).flatMap(([otherX, otherY]) => (otherX === x ? [] : [(otherY - y) / (otherX - x)])),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : mean(sorted[middle - 1], sorted[middle]);
}

const mean = (a = 0, b = 0): number => (a + b) / 2;
