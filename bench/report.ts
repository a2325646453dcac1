/** What the benchmark says: one line for each comparison, with its aim where there is one. */
export interface Row {
  what: string;
  unit: Unit;
  /** null: could not be measured here, `note` says why. */
  ours: number | null;
  /** The same work of the side named in `against`. */
  theirs: number | null;
  against: string;
  aim?: Aim;
  note?: string;
}

export type Unit = "ms" | "s" | "events" | "bytes" | "bytes/turn" | "KiB" | "us" | "M/s" | "per s";

export type Aim =
  /** At most so many times the other side's value. */
  | { times: number }
  /** At least so many times the other side's value. */
  | { at_least_times: number }
  /** At most so much more than the other side's value. */
  | { more: number }
  /** At most this value, whatever the other side has. */
  | { at_most: number }
  | { at_least: number };

export function isMet({ ours, theirs, aim }: Row): boolean | null {
  if (aim === undefined || ours === null) return null;
  if ("at_most" in aim) return ours <= aim.at_most;
  if ("at_least" in aim) return ours >= aim.at_least;
  if (theirs === null) return null;
  if ("at_least_times" in aim) return ours >= theirs * aim.at_least_times;
  return "times" in aim ? ours <= theirs * aim.times : ours <= theirs + aim.more;
}

const ratioOf = ({ ours, theirs }: Row): number | null =>
  ours === null || theirs === null || theirs === 0 ? null : ours / theirs;

/** For programs: numbers as measured, with the verdict. */
export const asJson = (row: Row) => ({ ...row, ratio: ratioOf(row), met: isMet(row) });

const TITLES = ["what", "Navigator", "side by side", "", "ratio", "aim", ""];

/** For people: at most 120 columns. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const ratio = ratioOf(row);
    const met = isMet(row);
    return [
      row.what,
      amount(row.ours, row.unit),
      amount(row.theirs, row.unit),
      row.note ?? row.against,
      ratio === null ? "" : `${ratio.toFixed(2)}x`,
      aimText(row.aim, row.unit),
      met === null ? "" : met ? "met" : "MISSED",
    ];
  });
  const widths = TITLES.map((_, i) => Math.max(...[TITLES, ...lines].map((line) => (line[i] as string).length)));
  const isNumber = (i: number) => i === 1 || i === 2 || i === 4;
  const cell = (text: string, i: number) =>
    isNumber(i) ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number);
  return [TITLES, ...lines].map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}

function aimText(aim: Aim | undefined, unit: Unit): string {
  if (aim === undefined) return "";
  if ("times" in aim) return `<= ${aim.times.toFixed(2)}x`;
  if ("at_least_times" in aim) return `>= ${aim.at_least_times.toFixed(2)}x`;
  if ("at_least" in aim) return `>= ${amount(aim.at_least, unit)}`;
  return "more" in aim ? `<= +${aim.more}` : `<= ${amount(aim.at_most, unit)}`;
}

/** Shown with a decimal where the number is small. */
const SMALL: readonly Unit[] = ["ms", "us", "M/s", "per s"];
const SHOWN: { [unit in Unit]?: string } = { bytes: "B", "bytes/turn": "B", events: "ev" };

function amount(value: number | null, unit: Unit): string {
  if (value === null) return "-";
  if (unit === "bytes" && value >= 10_000) return `${Math.round(value / 1000).toLocaleString("en")} kB`;
  const digits = unit === "s" || unit === "KiB" ? 1 : value < 100 && SMALL.includes(unit) ? 1 : 0;
  const text = value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
  return `${text} ${SHOWN[unit] ?? unit}`;
}
