/** A set of code points: what one place of a pattern accepts. */
export interface CharSet {
  has(point: number): boolean;
}

export type CharItem = readonly [number, number] | CharSet;

/** Ranges (inclusive) and other sets together. `fold`: letters in either case. */
export function charSet(items: readonly CharItem[], options: { negated?: boolean; fold?: boolean } = {}): CharSet {
  const includes = (point: number) =>
    items.some((item) => ("has" in item ? item.has(point) : point >= item[0] && point <= item[1]));
  const folded = options.fold ? (point: number) => caseForms(point).some(includes) : includes;
  const member = options.negated ? (point: number) => !folded(point) : folded;
  const ascii = Array.from({ length: 128 }, (_, point) => member(point));
  return { has: (point) => (point < 128 ? ascii[point]! : member(point)) };
}

/** A code point with its capital and small forms, where those are single code points. */
function caseForms(point: number): number[] {
  const text = String.fromCodePoint(point);
  const forms = [text, text.toLowerCase(), text.toUpperCase()].filter((form) => [...form].length === 1);
  return forms.map((form) => form.codePointAt(0)!);
}

/** The set of a Unicode property as `\p{...}` names it, or undefined when there is none of that name. */
export function unicodeProperty(name: string, negated = false): CharSet | undefined {
  if (!/^[A-Za-z0-9_=]+$/.test(name)) return undefined;
  const long = PROPERTY_NAMES[name] ?? name;
  for (const form of [long, `Script=${long}`]) {
    try {
      const one = new RegExp(`^\\${negated ? "P" : "p"}{${form}}$`, "u");
      return charSet([{ has: (point) => one.test(String.fromCodePoint(point)) }]);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

// Names that the pattern language has and the host does not.
const PROPERTY_NAMES: Record<string, string | undefined> = { Any: "Any", Xan: "Alphabetic", "L&": "LC" };

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

export const isWordPoint = (point: number): boolean => word.has(point);

/** `[:alpha:]` and the like; ASCII as in the C locale, letters and digits of all scripts. */
export const POSIX_CLASSES: Record<string, CharSet | undefined> = {
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
};
