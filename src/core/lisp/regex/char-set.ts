import { entriesOf, fromCodePoint } from "../../base/intrinsics";
/** A set of code points: what one place of a pattern accepts. */
export interface CharSet {
  has(point: number): boolean;
  /** The cost of looking up a character beyond ASCII, in lookups of one range. */
  readonly cost: number;
}

export type CharItem = readonly [number, number] | CharSet;

const UNKNOWN = 0;
const MEMBER = 1;
const OTHER = 2;

/** Ranges (inclusive) and other sets together. `fold`: letters in either case. */
export function charSet(items: readonly CharItem[], options: { negated?: boolean; fold?: boolean } = {}): CharSet {
  const includes = (point: number) =>
    items.some((item) => ("has" in item ? item.has(point) : point >= item[0] && point <= item[1]));
  const folded = options.fold ? (point: number) => caseForms(point).some(includes) : includes;
  const member = options.negated ? (point: number) => !folded(point) : folded;
  const single = items.reduce((sum, item) => sum + ("has" in item ? item.cost : 1), 0);
  // Most texts are ASCII, and most patterns look for a few ASCII characters: the answers for them are cached.
  let known: Uint8Array | undefined;
  return {
    cost: options.fold ? 16 + 3 * single : single,
    has: (point) => {
      if (point >= 128) return member(point);
      known ??= new Uint8Array(128);
      if (known[point] === UNKNOWN) known[point] = member(point) ? MEMBER : OTHER;
      return known[point] === MEMBER;
    },
  };
}

const literals = new Map<number, CharSet>();

/** Exactly one code point. The sets of ASCII characters are shared: most steps of most patterns are of this kind. */
export function onePoint(point: number): CharSet {
  const known = literals.get(point);
  if (known) return known;
  const set = { cost: 1, has: (other: number) => other === point };
  if (point < 128) literals.set(point, set);
  return set;
}

/** A code point with its capital and small forms, where those are single code points. */
function caseForms(point: number): number[] {
  const text = fromCodePoint(point);
  const forms = [text, text.toLowerCase(), text.toUpperCase()].filter((form) => [...form].length === 1);
  return forms.map((form) => form.codePointAt(0)!);
}

const PROPERTY_COST = 8;
// Cached: there are few properties, and asking the host for one is slow.
const properties = new Map<string, CharSet>();

/** The set of a Unicode property by its name in `\p{...}`, or undefined for an unknown name. */
export function unicodeProperty(name: string, negated = false): CharSet | undefined {
  const key = `${negated ? "P" : "p"}{${name}}`;
  const known = properties.get(key) ?? hostProperty(name, negated);
  if (known) properties.set(key, known);
  return known;
}

function hostProperty(name: string, negated: boolean): CharSet | undefined {
  const long = PROPERTY_NAMES.get(name) ?? name;
  if (!/^[A-Za-z0-9_=]{1,40}$/.test(long)) return undefined;
  for (const form of [long, `Script=${long}`]) {
    try {
      const one = new RegExp(`^\\${negated ? "P" : "p"}{${form}}$`, "u");
      return charSet([{ cost: PROPERTY_COST, has: (point) => one.test(fromCodePoint(point)) }]);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

// Property names of the pattern language that the host does not know.
const PROPERTY_NAMES: ReadonlyMap<string, string> = new Map([
  ["Xan", "Alphabetic"],
  ["L&", "LC"],
]);

const property = (name: string) => unicodeProperty(name)!;
const span = (text: string): CharItem[] => [...text].map((c) => [c.codePointAt(0)!, c.codePointAt(0)!] as const);

const digit = charSet([property("Nd")]);
const word = charSet([property("L"), property("N"), ...span("_")]);
const space = charSet([property("White_Space")]);
const horizontal = charSet([...span("\t \u00a0\u1680\u180e\u202f\u205f\u3000"), [0x2000, 0x200a]]);
const vertical = charSet([[0x0a, 0x0d], ...span("\u0085\u2028\u2029")]);
const not = (set: CharSet) => charSet([set], { negated: true });

/** `\d` and the like. */
export const CLASS_ESCAPES: Record<string, CharSet | undefined> = {
  d: digit,
  D: not(digit),
  w: word,
  W: not(word),
  s: space,
  S: not(space),
  h: horizontal,
  H: not(horizontal),
  v: vertical,
  V: not(vertical),
};

/** Returns whether `\w` matches a code point. */
export const isWordPoint = (point: number): boolean => word.has(point);

/** `[:alpha:]` and the like; ASCII as in the C locale, letters and digits of all scripts. */
export const POSIX_CLASSES: ReadonlyMap<string, CharSet> = new Map(
  entriesOf({
    alpha: property("L"),
    digit,
    alnum: charSet([property("L"), property("N")]),
    upper: property("Lu"),
    lower: property("Ll"),
    space,
    blank: horizontal,
    punct: charSet([property("P"), ...span("$+<=>^`|~")]),
    xdigit: charSet([
      [0x30, 0x39],
      [0x41, 0x46],
      [0x61, 0x66],
    ]),
    cntrl: property("Cc"),
    word,
    print: charSet([property("Cc")], { negated: true }),
    graph: charSet([property("Cc"), property("White_Space")], { negated: true }),
    ascii: charSet([[0, 127]]),
  }),
);
