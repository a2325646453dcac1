import { existsSync } from "node:fs";
import type { Model } from "../../src/models";
import { delay } from "../../src/node/delay";

/** Tokens that are sent at a time, and the shortest pause between two pieces, in ms: at most about 12,000 tokens a second. */
const PIECE = 50;
const PAUSE_MS = 4;
/** An answer takes at least this long, in ms: there must be a middle in which a worker can be killed. */
const ANSWER_MS = 5_000;

/**
 * The whole answer of an attempt. Every token occurs once in it, and tokens of different attempts differ: a piece that comes twice,
 * or from another attempt, is seen in the text.
 */
export const spokenAnswer = (attempt: number, tokens: number): string => piece(attempt, 0, tokens);

/** The attempt that an answer is of. */
export const attemptOf = (answer: string): number => Number.parseInt(/^\d+/.exec(answer)?.[0] ?? "0", 10);

const piece = (attempt: number, from: number, to: number): string => {
  let text = "";
  for (let token = from; token < to; token += 1) text += `${attempt}.${token.toString(36)} `;
  return text;
};

/** It keeps this share of the answer back until it may end. */
const LAST_SHARE = 0.1;

/**
 * A model that sends so many tokens, piece by piece. The last ones wait for a file: however slow the reader is, all that the proof
 * does to it comes before the end.
 * @param mayEnd the path of that file
 */
export function talker(tokens: number, mayEnd: string): Model {
  const pause = Math.max(PAUSE_MS, ANSWER_MS / Math.ceil(tokens / PIECE));
  const last = tokens * (1 - LAST_SHARE);
  return {
    complete: async ({ attempt = 1 }, { signal, onText }) => {
      for (let from = 0; onText !== undefined && from < tokens; from += PIECE) {
        do await delay(pause, signal);
        while (from >= last && !existsSync(mayEnd));
        onText(piece(attempt, from, Math.min(tokens, from + PIECE)));
      }
      return { content: spokenAnswer(attempt, tokens) };
    },
  };
}
