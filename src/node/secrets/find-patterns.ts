/**
 * Many patterns are looked for at once, in one pass over the bytes (the algorithm of Wu and Manber). A window of the shortest
 * pattern's length slides over the text. The last two bytes of the window decide how far it can move without missing a pattern:
 * usually almost by its whole length.
 */

/** Shorter patterns occur by chance. */
export const MIN_PATTERN_BYTES = 8;

const BLOCKS = 65_536;

/** Where a pattern was found. */
export interface Match {
  /** Index of its first byte. */
  at: number;
  length: number;
  /** Index of the pattern. */
  pattern: number;
}

/** A set of patterns that is ready for searching. */
export class PatternFinder {
  /** For the last two bytes of a window: by how many bytes it may move. 0 = a pattern may begin here. */
  private readonly moves = new Uint8Array(BLOCKS);
  /** The patterns whose window ends in these two bytes, the longest first. */
  private readonly candidates = new Map<number, number[]>();
  /** The patterns that begin with this byte. */
  private readonly beginnings = new Map<number, Uint8Array[]>();
  /** Bytes of the longest pattern; 0 = there is none. */
  private readonly longest: number;

  /** @param patterns each of at least MIN_PATTERN_BYTES bytes */
  constructor(private readonly patterns: readonly Uint8Array[]) {
    this.longest = patterns.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.moves.fill(MIN_PATTERN_BYTES - 1);
    patterns.forEach((pattern, index) => {
      const first = pattern[0] as number;
      this.beginnings.set(first, [...(this.beginnings.get(first) ?? []), pattern]);
      for (let i = 0; i + 1 < MIN_PATTERN_BYTES; i++) {
        const block = blockAt(pattern, i);
        this.moves[block] = Math.min(this.moves[block] as number, MIN_PATTERN_BYTES - 2 - i);
      }
      const last = blockAt(pattern, MIN_PATTERN_BYTES - 2);
      const same = [...(this.candidates.get(last) ?? []), index];
      const lengthOf = (one: number) => (patterns[one] as Uint8Array).length;
      this.candidates.set(
        last,
        same.sort((a, b) => lengthOf(b) - lengthOf(a)),
      );
    });
  }

  /** The first match that begins at `from` or later: of those that begin at one place, the longest. */
  next(bytes: Uint8Array, from = 0): Match | null {
    if (this.longest === 0) return null;
    const { moves } = this;
    let end = from + MIN_PATTERN_BYTES - 1;
    while (end < bytes.length) {
      const move = moves[((bytes[end - 1] as number) << 8) | (bytes[end] as number)] as number;
      if (move > 0) {
        end += move;
        continue;
      }
      const at = end - MIN_PATTERN_BYTES + 1;
      const pattern = this.candidates.get(blockAt(bytes, end - 1))?.find((one) => this.isAt(bytes, at, one));
      if (pattern !== undefined) return { at, length: (this.patterns[pattern] as Uint8Array).length, pattern };
      end++;
    }
    return null;
  }

  /** How many bytes at the end may be the beginning of a longer pattern. */
  openEnd(bytes: Uint8Array): number {
    for (let at = Math.max(0, bytes.length - this.longest + 1); at < bytes.length; at++)
      if (this.beginnings.get(bytes[at] as number)?.some((one) => goesOn(one, bytes, at))) return bytes.length - at;
    return 0;
  }

  private isAt(bytes: Uint8Array, at: number, index: number): boolean {
    const pattern = this.patterns[index] as Uint8Array;
    if (at + pattern.length > bytes.length) return false;
    for (let i = 0; i < pattern.length; i++) if (bytes[at + i] !== pattern[i]) return false;
    return true;
  }
}

function goesOn(pattern: Uint8Array, bytes: Uint8Array, at: number): boolean {
  if (pattern.length <= bytes.length - at) return false;
  for (let i = at; i < bytes.length; i++) if (bytes[i] !== pattern[i - at]) return false;
  return true;
}

const blockAt = (bytes: Uint8Array, at: number): number => ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
