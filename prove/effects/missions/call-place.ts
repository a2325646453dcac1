/** The place of a call in the scripts: service and person distinguish calls by it. */
export interface CallPlace {
  stage: number;
  script: number;
  /** The agent: 0 is the one that was started. */
  work: number;
  /** Which try of that agent. */
  attempt: number;
  nth: number;
}

/** Where a program stands that makes calls. */
export type ProgramPlace = Omit<CallPlace, "nth">;

/** A place in free text of a call. */
export const memoOf = ({ stage, script, work, attempt, nth }: CallPlace, words: string): string =>
  `#${stage}.${script}.${work}.${attempt}.${nth}. ${words}`;

const MEMO = /^#(\d+)\.(\d+)\.(\d+)\.(\d+)\.(\d+)\. /;

/** @throws Error for a text that no program of the proof wrote */
export function callPlaceOf(memo: unknown): CallPlace {
  const found = MEMO.exec(String(memo));
  if (found === null) throw new Error(`No program of the proof wrote the memo ${JSON.stringify(memo)}.`);
  const [, stage, script, work, attempt, nth] = found.map(Number) as [number, number, number, number, number, number];
  return { stage, script, work, attempt, nth };
}
