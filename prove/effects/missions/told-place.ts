/** Where a call was told: service and person tell calls apart by it. */
export interface ToldPlace {
  stage: number;
  telling: number;
  /** The agent: 0 is the one that was started. */
  work: number;
  /** Which try of that agent. */
  attempt: number;
  nth: number;
}

/** Where a program stands that makes calls. */
export type ProgramPlace = Omit<ToldPlace, "nth">;

/** A place in free text of a call. */
export const memoOf = ({ stage, telling, work, attempt, nth }: ToldPlace, words: string): string =>
  `#${stage}.${telling}.${work}.${attempt}.${nth}. ${words}`;

const MEMO = /^#(\d+)\.(\d+)\.(\d+)\.(\d+)\.(\d+)\. /;

/** @throws Error for a text that no program of the proof wrote */
export function toldPlaceOf(memo: unknown): ToldPlace {
  const found = MEMO.exec(String(memo));
  if (found === null) throw new Error(`No program of the proof wrote the memo ${JSON.stringify(memo)}.`);
  const [, stage, telling, work, attempt, nth] = found.map(Number) as [number, number, number, number, number, number];
  return { stage, telling, work, attempt, nth };
}
