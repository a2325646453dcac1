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

/** Runs both sides in turn, `rounds` times, after one warm-up of each. */
export async function alternate(
  rounds: number,
  ours: (round: number) => Promise<Sample>,
  theirs: (round: number) => Promise<Sample>,
): Promise<{ ours: Sample; theirs: Sample }> {
  await ours(0);
  await theirs(0);
  const a: Sample[] = [];
  const b: Sample[] = [];
  for (let round = 1; round <= rounds; round++) {
    a.push(await ours(round));
    b.push(await theirs(round));
  }
  return { ours: middle(a), theirs: middle(b) };
}

function middle(samples: Sample[]): Sample {
  return {
    ms: median(samples.map((sample) => sample.ms)),
    events: median(samples.map((sample) => sample.events)),
    bytes: median(samples.map((sample) => sample.bytes)),
  };
}

export interface Row {
  name: string;
  navigator: string;
  hand_written: string;
  ratio: string;
  aim: string;
  met: boolean | null;
}

export function renderRows(rows: readonly Row[]): string {
  const header = ["what", "Navigator", "side by side", "ratio", "aim", ""];
  const lines = rows.map((row) => [
    row.name,
    row.navigator,
    row.hand_written,
    row.ratio,
    row.aim,
    row.met === null ? "" : row.met ? "met" : "MISSED",
  ]);
  const widths = header.map((_, i) => Math.max(...[header, ...lines].map((line) => (line[i] as string).length)));
  return [header, ...lines]
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] as number))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
