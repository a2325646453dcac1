import { readFileSync } from "node:fs";

/** What Linux counts in, whatever the machine's own clock: a hundredth of a second. */
const TICK_MS = 10;

/** CPU that a process has used since it began, in all its threads, ms. Exact to 10 ms: add up what many rounds took. */
export function processCpu(pid: number): number {
  // The name of the program stands in parentheses and may have blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) * TICK_MS;
}
