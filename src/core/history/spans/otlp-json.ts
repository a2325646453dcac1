import type { Attributes, PlainSpan } from "./plain-span";

/**
 * Spans in the JSON form of OTLP 1.x, as collectors take it at `/v1/traces`: ids are hex, times are texts of nanoseconds.
 * Spans that have not ended are left out.
 *
 * @param resource of the process or mission that they belong to: `{"service.name": "navigator"}`
 */
export function otlpTraces(
  spans: readonly PlainSpan[],
  resource: Attributes,
  scope: { name: string; version: string },
) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope, spans: spans.filter(({ end_ms }) => end_ms !== null).map(otlpSpan) }],
      },
    ],
  };
}

const KINDS = { internal: 1, client: 3 };
/** STATUS_CODE_ERROR */
const ERROR = 2;

function otlpSpan({ trace_id, span_id, parent_span_id, name, kind, start_ms, end_ms, attributes, error }: PlainSpan) {
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_span_id === undefined ? {} : { parentSpanId: parent_span_id }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(start_ms),
    endTimeUnixNano: nanos(end_ms as number),
    attributes: keyValues(error === undefined ? attributes : { ...attributes, "error.type": error.type }),
    status:
      error === undefined ? {} : { code: ERROR, ...(error.message === undefined ? {} : { message: error.message }) },
  };
}

/** Exact, as no number of JavaScript could be. */
const nanos = (ms: number): string => `${Math.trunc(ms)}000000`;

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: Attributes[string]): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
