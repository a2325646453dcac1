/** A span as data, before it is handed to OpenTelemetry or written as OTLP. */
export interface PlainSpan {
  /** 32 hex digits. */
  trace_id: string;
  /** 16 hex digits. */
  span_id: string;
  /** Absent: the span is the root of its trace. */
  parent_span_id?: string;
  sampling: "kept" | "dropped" | "open";
  name: string;
  kind: "internal" | "client";
  /** Ms since 1970. */
  start_ms: number;
  /** Ms since 1970; null: it has not ended. */
  end_ms: number | null;
  attributes: Attributes;
  /** It failed: the class of the error. Its text is content. */
  error?: SpanError;
}

/** Values of attributes, in the types that OTLP has. */
export interface Attributes {
  [name: string]: string | number | boolean | string[];
}

/** Why a span failed. */
export interface SpanError {
  /** A name such as `tool_error`, with few different values. */
  type: string;
  /** May contain data: only shown where content is asked for. */
  message?: string;
}

/** What a span is about, without its place and its time. */
export type SpanFacts = Pick<PlainSpan, "name" | "kind" | "attributes">;
