import { isObject } from "../../base/is-object";
import type { TraceLine } from "./line";

/** Thrown for a text that is not a trace: which line, and what is wrong with it. */
export class TraceFormatError extends Error {
  readonly code = "invalid_input";

  constructor(
    /** 1-based; 0: the text as a whole. */
    readonly line: number,
    readonly fault: string,
  ) {
    super(line === 0 ? fault : `line ${line}: ${fault}`);
  }

  /** The place, as all errors of this code have it. */
  get details(): { path: string } {
    return { path: this.line === 0 ? "" : `line ${this.line}` };
  }
}

/**
 * Reads the lines of a trace, or of several in one text.
 *
 * @throws TraceFormatError for the first line that is not valid
 */
export function loadTrace(text: string): TraceLine[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [readLine(line, index + 1)]));
  if (lines.length === 0) throw new TraceFormatError(0, "it has no lines");
  return lines;
}

function readLine(text: string, number: number): TraceLine {
  const refuse = (fault: string): never => {
    throw new TraceFormatError(number, fault);
  };
  const line = parsed(text);
  if (line === undefined) return refuse("it is not JSON");
  if (!isObject(line)) return refuse("it is not an object {event, trace_id, timestamp, ...}");
  for (const field of ["event", "trace_id", "timestamp"])
    if (typeof line[field] !== "string" || line[field] === "") refuse(`${field} must be a non-empty text`);
  if (!/^[a-z]+\.[a-z]+$/.test(line.event as string)) refuse(`event must be like tool.start, got "${line.event}"`);
  if (Number.isNaN(Date.parse(line.timestamp as string)))
    refuse(`timestamp must be an ISO time, got "${line.timestamp}"`);
  for (const field of ["measurements", "metadata"]) if (!isObject(line[field])) refuse(`${field} must be an object`);
  const { duration_ms } = line;
  if (duration_ms !== undefined && !(typeof duration_ms === "number" && duration_ms >= 0))
    refuse("duration_ms must be a number, 0 or more");
  for (const field of ["span_id", "parent_span_id"])
    if (line[field] !== undefined && typeof line[field] !== "string") refuse(`${field} must be a text`);
  return line as unknown as TraceLine;
}

/** undefined: it cannot be read. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
