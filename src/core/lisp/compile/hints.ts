import { SPECIAL_FORM_NAMES } from "./special-form-names";

/** What to say about a name that does not exist (language reference, sections 6.2 and 17): models write Clojure, and not all of it is here. */
const ABSENT: Record<string, string> = {
  case: "cond, or a map as function",
  condp: "cond",
  "as->": "let",
  "some->": "let or when-let",
  "cond->": "let with if",
  comp: "#()",
  partial: "#()",
  complement: "#(not (f %)) or none-of",
  constantly: "(fn [_] x)",
  "every-pred": "all-of",
  keep: "(filter some? (map f xs))",
  "keep-indexed": "map-indexed and filter",
  zipmap: "(into {} (map vector ks vs))",
  subvec: "take and drop",
  "split-at": "take and drop",
  list: "vector",
  cons: "(concat [x] xs)",
  "reduce-kv": "reduce over the map with [k v]",
  "merge-with": "reduce",
  format: "str",
  printf: "println with str",
  name: "str and subs",
  keyword: "a literal keyword",
  symbol: "a literal",
  "int?": "number?",
  "integer?": "number?",
  "fn?": "type",
  "list?": "vector?",
  "true?": "=",
  "false?": "=",
  dotimes: "doseq over range",
  while: "loop",
  repeat: "(map (fn [_] x) (range n))",
  repeatedly: "(map (fn [_] (f)) (range n))",
  "Integer/parseInt": "parse-long",
  capitalize: "upcase and subs",
  "blank?": "(empty? (trim s))",
  atom: "reduce or loop: there is no mutable state",
  "swap!": "reduce or loop: there is no mutable state",
  "reset!": "reduce or loop: there is no mutable state",
  try: "nothing: errors end the program and are shown to you",
  throw: "fail",
};

export function absentHint(name: string): string | undefined {
  if (SPECIAL_FORM_NAMES.has(name)) return `${name} is a special form: use it with parentheses, as in (${name} ...)`;
  if (Object.hasOwn(ABSENT, name)) return `${name} is not available; use ${ABSENT[name]}`;
  return undefined;
}

/** The most similar name, if one is close enough; a wrong separator is said outright. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const all = [...names];
  const hyphened = name.replaceAll("_", "-");
  if (hyphened !== name && all.includes(hyphened)) return `use hyphens, not underscores: ${hyphened}`;
  let best = "";
  let bestDistance = 3;
  for (const candidate of all) {
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best !== "" && bestDistance * 4 <= Math.max(name.length, best.length) ? `did you mean ${best}?` : "";
}

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
