/** Suggests the name that a wrong name probably stands for. */

const MAX_COMPARED = 60;

/** The most similar name, if one is close enough. A wrong separator gets its own hint. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const all = [...names].filter((one) => one !== name);
  const hyphened = name.replaceAll("_", "-");
  if (/[^_]/.test(name) && all.includes(hyphened)) return `use hyphens, not underscores: ${hyphened}`;
  // The time of a comparison grows with the product of both lengths.
  if (name.length > MAX_COMPARED) return "";
  let best = "";
  let bestDistance = 3;
  for (const candidate of all) {
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best === "" || !(bestDistance * 4 <= Math.max(name.length, best.length) || isSwapped(name, best))) return "";
  // A name that ends in a question mark is shown without another one.
  return `did you mean ${best}${best.endsWith("?") ? "" : "?"}`;
}

/** Whether two letters are in the wrong order: a typing error even in a short name. */
function isSwapped(a: string, b: string): boolean {
  return a.length > 2 && sortedLetters(a) === sortedLetters(b);
}

const sortedLetters = (name: string): string => [...name].sort().join("");

/** Insertions, deletions, replacements and swaps of neighbours; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] as number) + 1, (row[j - 1] as number) + 1, (previous[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] as number) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] as number;
}
