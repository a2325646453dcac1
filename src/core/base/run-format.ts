/**
 * The conventions of runs, and how later versions change them (docs/changing-workflow-code.md).
 *
 * The starter of a run writes its format and its flags into the input. They stay the same through continue-as-new, and a child
 * has those of its parent. Code that replays therefore asks the input, never the version of the package.
 */

/** The baseline: all that a run of this version does without a flag. Before 1.0 a minor release may set a new one. */
export const RUN_FORMAT = 1;

/** What a flag changes, and since which version new runs have it. */
export interface FlagNote {
  since: string;
  does: string;
}

/**
 * The paths of workflow code that were added after the baseline, by name. Each has a docstring here and a separate history in
 * `test/histories`. Code asks `hasFlag`; without the flag it takes the path of the baseline.
 */
export const FLAGS = {
  /**
   * An irreversible call of a tool without an identity that differs from an earlier one in texts alone asks first. Without it the call
   * was made as another effect: a payment with another memo was made twice.
   */
  "compares-texts": {
    since: "0.1.0",
    does: "an irreversible call that differs from an earlier one in texts alone asks",
  },
  /**
   * A call whose tool has become stricter since its mission began is prepared again by the present declaration: people approve it, by
   * the present terms, and its arguments fit. Without it such a call is refused with `tool_changed`.
   */
  "follows-tools": { since: "0.1.0", does: "a call follows its tool when a deploy has made it stricter" },
} as const satisfies { readonly [name: string]: FlagNote };

/** The name of a flag. */
export type Flag = keyof typeof FLAGS;

/** A part of the input of every workflow that runs something. */
export interface RunFormat {
  /** The baseline that the run keeps. */
  format?: number;
  /** The names of its flags; absent = none. */
  flags?: string[];
}

const NAMES: readonly string[] = Object.keys(FLAGS);
const isName = (text: unknown): text is string => typeof text === "string";

/** The conventions of a run that is started now. */
export const presentFormat = (names: readonly string[] = NAMES): RunFormat =>
  names.length === 0 ? { format: RUN_FORMAT } : { format: RUN_FORMAT, flags: [...names] };

/** The conventions of another run: those of the run that continues, or that starts it as a child. */
export const sameFormat = ({ format, flags }: RunFormat): RunFormat => ({
  ...(format === undefined ? {} : { format }),
  ...(flags === undefined ? {} : { flags }),
});

/** Whether a run takes the path that a flag names. */
export const hasFlag = ({ flags }: RunFormat, flag: Flag): boolean => flags?.includes(flag) === true;

/**
 * What this version does not know of a run's conventions: a format or flags. null: it knows all of them, or they are not written
 * as conventions are, which the check of the input refuses.
 */
export function unknownFormat({ format, flags = [] }: RunFormat, names: readonly string[] = NAMES): string | null {
  if (Number.isInteger(format) && (format as number) > 0 && format !== RUN_FORMAT) return `run format ${format}`;
  const unknown = Array.isArray(flags) ? flags.filter((flag) => isName(flag) && !names.includes(flag)) : [];
  return unknown.length === 0 ? null : `the ${unknown.length === 1 ? "flag" : "flags"} ${unknown.join(", ")}`;
}

/** The conventions as the search attribute `NavigatorFormat` has them: `1`, or `1 flag-one flag-two`. */
export const formatWord = ({ format = RUN_FORMAT, flags = [] }: RunFormat): string => [format, ...flags].join(" ");

/** The conventions that the search attribute names. */
export function formatOfWord(word: string): RunFormat {
  const [format, ...flags] = word.split(" ");
  return { format: Number(format), ...(flags.length === 0 ? {} : { flags }) };
}

/** The words of the runs that this version knows: versions add flags at the end of the list. */
export const KNOWN_FORMATS: readonly string[] = [[], ...NAMES.map((_, i) => NAMES.slice(0, i + 1))].map((flags) =>
  formatWord({ flags }),
);
