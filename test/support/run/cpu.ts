import { readdirSync, readFileSync } from "node:fs";

/** Seconds of CPU, as Linux counts them: /proc/PID/stat. Elsewhere only what Node knows of its own process. */

/** Clock ticks of a second: 100 wherever Node runs on Linux. */
const TICKS = 100;

interface Stat {
  pid: number;
  parent: number;
  /** What it used so far. */
  own: number;
  /** What those of its children used that have ended, with theirs. */
  ended: number;
}

function statOf(pid: number | "self"): Stat | undefined {
  try {
    // The name is in brackets and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0) as number[];
    return {
      pid: pid === "self" ? process.pid : pid,
      parent: parent as number,
      own: ((utime as number) + (stime as number)) / TICKS,
      ended: ((cutime as number) + (cstime as number)) / TICKS,
    };
  } catch {
    // It has ended, or this is no Linux.
    return undefined;
  }
}

/** This process, and what of its children has ended. */
export function cpuSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + (statOf("self")?.ended ?? 0);
}

export interface Descendant extends Stat {
  command: string;
}

/** All processes below this one that live. None where there is no /proc. */
export function descendants(): Descendant[] {
  let pids: number[];
  try {
    pids = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
  const all = pids.flatMap((pid) => statOf(pid) ?? []);
  const found: Stat[] = [];
  let level = [process.pid];
  while (level.length > 0) {
    const children = all.filter(({ parent }) => level.includes(parent));
    found.push(...children);
    level = children.map(({ pid }) => pid);
  }
  return found.map((stat) => ({ ...stat, command: commandOf(stat.pid) }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
