import type { Json } from "../../src/core/base/json";
import { readHistory } from "../../src/core/history/read/history";

/** How the histories of a mission grew. */
export interface Growth {
  /** Runs: more than one where it continued as new. */
  runs: number;
  events: number;
  /** Of all payloads. */
  bytes: number;
  /** How often each mark is in the history of a single run, at most. */
  copies: number[];
}

/**
 * A text may be in the history of one run so often, however long the mission is: in the reply, in the input of the next
 * call, in tool calls and their answers, in its record and what pages show of it, and in what a run that continues as new
 * hands on.
 */
const MAX_COPIES = 30;

/** Bytes of a history for each byte of new text, and for each event besides texts: ids, names, numbers. */
const BYTES_OF_BYTE = 8;
const BYTES_OF_EVENT = 500;

/** @param histories as exported, one for each run of the mission */
export function measureGrowth(histories: readonly Json[], marks: readonly string[]): Growth {
  const texts = histories.map(payloadTexts);
  const copies = texts.map((text) => countsOf(text, marks));
  return {
    runs: histories.length,
    events: histories.reduce<number>((sum, history) => sum + readHistory(history).length, 0),
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    copies: marks.map((_, index) => Math.max(0, ...copies.map((one) => one[index] as number))),
  };
}

/**
 * What is wrong with the growth of a mission's history.
 *
 * @param newText bytes of all texts of the conversation, each once
 * @param repeats whether the prompt itself repeats earlier texts: then only the bytes are judged
 */
export function growthFaults({ events, bytes, copies }: Growth, newText: number, repeats: boolean): string[] {
  const faults: string[] = [];
  const most = Math.max(0, ...copies);
  if (!repeats && most > MAX_COPIES)
    faults.push(
      `text ${copies.indexOf(most)} of ${copies.length} is ${most} times in the history, of at most ${MAX_COPIES}`,
    );
  const allowed = BYTES_OF_BYTE * newText + BYTES_OF_EVENT * events;
  if (bytes > allowed)
    faults.push(
      `the history has ${bytes} bytes for ${newText} bytes of new text in ${events} events, of at most ${allowed}`,
    );
  return faults;
}

/** All payloads of an exported history, decoded. */
function payloadTexts(history: Json): string {
  const found: string[] = [];
  JSON.stringify(history, (key, value: unknown) => {
    if (key === "data" && typeof value === "string") found.push(Buffer.from(value, "base64").toString());
    return value;
  });
  return found.join("\n");
}

const MARK = /mark-\d+-\d+;/g;

function countsOf(text: string, marks: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const [mark] of text.matchAll(MARK)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return marks.map((mark) => counts.get(mark) ?? 0);
}
