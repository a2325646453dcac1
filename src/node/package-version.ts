import { readFileSync } from "node:fs";
import path from "node:path";

/** Of this package. */
export function packageVersion(): string {
  // The same place from src/node and from dist/node.
  const text = readFileSync(path.join(__dirname, "../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Whether a version is older than another: 0.9.0 before 0.10.0-beta.2 before 0.10.0. */
export function isOlderVersion(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let n = 0; n < Math.max(a.numbers.length, b.numbers.length); n++) {
    const difference = (a.numbers[n] ?? 0) - (b.numbers[n] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  // What comes before a release has a word after it.
  if (a.word === null || b.word === null) return a.word !== null && b.word === null;
  return a.word.localeCompare(b.word, "en", { numeric: true }) < 0;
}

function partsOf(version: string): { numbers: number[]; word: string | null } {
  const [, numbers = "", word = null] = /^(\d+(?:\.\d+)*)(?:-([^+]+))?/.exec(version) ?? [];
  return { numbers: numbers.split(".").map(Number), word };
}
