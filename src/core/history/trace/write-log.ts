import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import { fnv } from "../../base/text-hash";
import type { TraceLine, TraceLog } from "./line";
import type { ReadRun } from "./read-run";
import { fitParts, given, type Span } from "./span";
import { summarised, summarisedMetadata } from "./summarise";

/** The parent of a nested run. */
export interface Above {
  parent_trace_id: string;
  /** For an agent that was called as a tool. */
  tool_name?: string;
}

/**
 * The lines of one run, ordered by time: its header, the start and end of each span, and its own end if it has ended.
 */
export function writeLog(read: ReadRun, above: Above | null): TraceLog {
  const { trace_id, workflow_id, workflow_type, run, depth, over } = read;
  fitParts(run);
  const spans = new SpanWriter(trace_id);
  spans.write(run, undefined);
  // Starts come before ends, and outer spans before inner ones: the sort is stable and keeps this order for equal times.
  const body = spans.lines.sort((a, b) => a.at - b.at).map(({ line }) => line);
  const header = line("trace.start", trace_id, run.start, {
    ...given({ workflow_id, workflow_type, parent_trace_id: above?.parent_trace_id, tool_name: above?.tool_name }),
    depth,
  });
  const last =
    over && run.end !== null
      ? [{ ...line("trace.stop", trace_id, run.end, {}), duration_ms: run.end - run.start }]
      : [];
  return { trace_id, workflow_id, lines: [header, ...body, ...last] };
}

class SpanWriter {
  readonly lines: { at: number; line: TraceLine }[] = [];
  private readonly ids = new Set<string>();

  constructor(private readonly trace_id: string) {}

  write(span: Span, parent: string | undefined): void {
    const span_id = this.idOf(span.key);
    const ids = { span_id, ...defined({ parent_span_id: parent }) };
    this.add(span.start, { ...this.line(`${span.kind}.start`, span.start, span.opened), ...ids });
    for (const child of span.children.toSorted((a, b) => a.start - b.start)) this.write(child, span_id);
    if (span.end === null) return;
    const closed = { ...span.closed, metadata: { ...named(span), ...span.closed.metadata } };
    const took = span.timed ? { duration_ms: span.end - span.start } : {};
    this.add(span.end, { ...this.line(`${span.kind}.stop`, span.end, closed), ...took, ...ids });
  }

  private add(at: number, line: TraceLine): void {
    this.lines.push({ at, line });
  }

  private line(event: string, at: number, { measurements, metadata }: Span["opened"]): TraceLine {
    const written = line(event, this.trace_id, at, summarisedMetadata(metadata));
    return { ...written, measurements: summarised(measurements) as JsonObject };
  }

  /** Derived from the span's position, so that every reading gives the same. */
  private idOf(key: string): string {
    let id = fnv(`${this.trace_id}/${key}`);
    while (this.ids.has(id)) id = fnv(`${id}/${key}`);
    this.ids.add(id);
    return id;
  }
}

/** An end repeats the facts of its start: a reader of ends alone must not have to look for their starts. */
function named({ opened: { metadata } }: Span): JsonObject {
  const { tool_name, model, turn, effect } = metadata;
  return given({ tool_name, model, turn, effect });
}

function line(event: string, trace_id: string, at: number, metadata: JsonObject): TraceLine {
  return { event, trace_id, timestamp: new Date(at).toISOString(), measurements: {}, metadata };
}
