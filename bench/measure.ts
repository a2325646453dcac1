/** Small numbers kit of the benchmark: medians over alternating runs, so that a busy moment hits both sides alike. */
export interface Sample {
  ms: number;
  events: number;
  bytes: number;
  /** CPU of the side's worker and of the server meanwhile, ms: means, because a process counts in steps of 10 ms. */
  worker_cpu?: number;
  server_cpu?: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Runs all sides in turn, `rounds` times, after one warm-up of each. Every other round goes backwards. */
export async function takeTurns<K extends string, S>(
  rounds: number,
  sides: { [key in K]: () => Promise<S> },
): Promise<{ [key in K]: S[] }> {
  const names = Object.keys(sides) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as S[]])) as { [key in K]: S[] };
  for (const name of names) await sides[name]();
  for (let round = 1; round <= rounds; round++)
    for (const name of round % 2 === 1 ? names : [...names].reverse()) samples[name].push(await sides[name]());
  return samples;
}

/** The medians of sides that take turns. */
export async function alternate<K extends string>(
  rounds: number,
  sides: { [key in K]: () => Promise<Sample> },
): Promise<{ [key in K]: Sample }> {
  const samples = await takeTurns(rounds, sides);
  const names = Object.keys(sides) as K[];
  return Object.fromEntries(names.map((name) => [name, middle(samples[name])])) as { [key in K]: Sample };
}

function middle(samples: Sample[]): Sample {
  return {
    ms: median(samples.map((sample) => sample.ms)),
    events: median(samples.map((sample) => sample.events)),
    bytes: median(samples.map((sample) => sample.bytes)),
    ...mean(samples, "worker_cpu"),
    ...mean(samples, "server_cpu"),
  };
}

/** Of what all samples have. */
function mean(samples: Sample[], key: "worker_cpu" | "server_cpu"): Partial<Sample> {
  const sum = samples.reduce((so_far, sample) => so_far + (sample[key] ?? Number.NaN), 0);
  return Number.isNaN(sum) ? {} : { [key]: sum / samples.length };
}
