import type { Turn } from "../../agent/result/turn";
import type { Json, JsonObject } from "../../base/json";
import type { SpanKind } from "./line";

/** A timed operation, before it is written as two lines. */
export interface Span {
  kind: SpanKind;
  /** Its position in the history. It is the same on every reading, so that derived ids are stable. */
  key: string;
  /** Ms since 1970. */
  start: number;
  /** null: not ended. */
  end: number | null;
  /** false: it happened, but its duration is unknown. */
  timed: boolean;
  opened: Facts;
  closed: Facts;
  children: Span[];
}

/** The known facts about a begin or an end. */
export interface Facts {
  measurements: JsonObject;
  metadata: JsonObject;
}

/** Creates a span that has begun and not ended. */
export function newSpan(kind: SpanKind, key: string, start: number, metadata: Fields, measurements: Fields = {}): Span {
  return {
    kind,
    key,
    start,
    end: null,
    timed: true,
    opened: { metadata: given(metadata), measurements: given(measurements) },
    closed: { metadata: {}, measurements: {} },
    children: [],
  };
}

/** Ends a span once. Later events, such as the answer of a call that was given up, change nothing. */
export function closeSpan(span: Span, end: number, metadata: Fields = {}, measurements: Fields = {}): void {
  if (span.end !== null) return;
  span.end = Math.max(end, span.start);
  Object.assign(span.closed.metadata, given(metadata));
  Object.assign(span.closed.measurements, given(measurements));
}

/** Makes child spans lie within their parents, whatever the clocks show: workflow time and the server's time differ. */
export function fitParts(span: Span): void {
  for (const child of span.children) {
    child.start = Math.max(child.start, span.start);
    if (child.end !== null) child.end = Math.max(child.end, child.start);
    fitParts(child);
    if (span.end !== null && child.end !== null) span.end = Math.max(span.end, child.end);
  }
}

type Fields = { [key: string]: Json | undefined };

/** Without unknown fields. */
export const given = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;

/** A turn of a run of an agent. */
export interface TurnSpan extends Span {
  number: number;
  invocation: number;
  /** As the run itself recorded it, if it got that far. */
  record?: Turn;
}
