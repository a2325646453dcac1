import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a collector gets it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  /** Typed values, by name. */
  attributes: { [name: string]: unknown };
  status: { code?: number; message?: string };
  /** `service.name` of the process. */
  service: unknown;
  /** Of the instrumentation scope. */
  scope: string;
}

export interface Collector {
  /** Its base address. */
  url: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** Answers like this from now on. */
  answer: { status: number; body: string };
  close(): Promise<void>;
}

/** A collector on loopback that takes OTLP over HTTP and keeps it. */
export async function openCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const { url: path = "", headers } = request;
      collector.requests.push({ path, headers, body });
      const { status, body: said } = collector.answer;
      if (path === "/v1/traces" && status === 200) collector.spans.push(...spansIn(JSON.parse(body.toString())));
      response.writeHead(status, { "content-type": "application/json" }).end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    answer: { status: 200, body: "{}" },
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
  return collector;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of OTLP, which a wrong span makes fail where it is looked at
type Wire = any;

/** The spans of a body of OTLP in JSON. */
export function spansIn(body: Wire): CollectedSpan[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: Wire) =>
    scopeSpans.flatMap(({ scope, spans }: Wire) =>
      spans.map((span: Wire) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        service: attributesOf(resource.attributes)["service.name"],
        scope: scope.name,
      })),
    ),
  );
}

const attributesOf = (attributes: Wire): { [name: string]: unknown } =>
  Object.fromEntries(attributes.map(({ key, value }: Wire) => [key, typedValue(value)]));

function typedValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Wire): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(typedValue);
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}

/** The spans below a span, as `name (children)`, in the order in which they began. */
export function outline(spans: readonly CollectedSpan[], parent?: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
    .map(({ name, spanId }) => {
      const below = outline(spans, spanId);
      return below.length === 0 ? name : [name, below];
    });
}
