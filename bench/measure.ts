/** Small numbers kit of the benchmark: medians over alternating runs, so that a busy moment hits both sides alike. */
export interface Sample {
  ms: number;
  events: number;
  bytes: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Runs all sides in turn, `rounds` times, after one warm-up of each. Every other round goes backwards. */
export async function alternate<K extends string>(
  rounds: number,
  sides: { [key in K]: () => Promise<Sample> },
): Promise<{ [key in K]: Sample }> {
  const names = Object.keys(sides) as K[];
  const samples = new Map<K, Sample[]>(names.map((name) => [name, []]));
  for (const name of names) await sides[name]();
  for (let round = 1; round <= rounds; round++)
    for (const name of round % 2 === 1 ? names : [...names].reverse()) samples.get(name)?.push(await sides[name]());
  return Object.fromEntries(names.map((name) => [name, middle(samples.get(name) as Sample[])])) as {
    [key in K]: Sample;
  };
}

function middle(samples: Sample[]): Sample {
  return {
    ms: median(samples.map((sample) => sample.ms)),
    events: median(samples.map((sample) => sample.events)),
    bytes: median(samples.map((sample) => sample.bytes)),
  };
}
