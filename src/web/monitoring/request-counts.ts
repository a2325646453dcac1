import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { WebEnv } from "../context/context";
import type { Metric, Sample } from "./exposition";

/** Upper ends of the classes of times, in seconds. */
const BUCKETS_S = [0.005, 0.025, 0.1, 0.3, 1, 3, 10];

interface Times {
  /** How many were at most so long; the last one counts all. */
  buckets: number[];
  sum: number;
}

/** Counts the requests of this process, by the routes that answered them. */
export class RequestCounts {
  private readonly counts = new Map<string, { labels: { [name: string]: string }; count: number }>();
  private readonly times: Times = { buckets: [...BUCKETS_S, Number.POSITIVE_INFINITY].map(() => 0), sum: 0 };
  private rateLimited = 0;

  /** A stream is counted when it begins. */
  readonly counted: MiddlewareHandler<WebEnv> = async (c, next) => {
    const began = performance.now();
    await next();
    const { status } = c.res;
    if (status === 429) this.rateLimited += 1;
    // Not the path itself: it has ids, and whatever somebody sends. An unknown method is one, too.
    const labels = {
      method: METHODS.has(c.req.method) ? c.req.method : "other",
      route: routePath(c, -1),
      status: String(status),
    };
    const key = JSON.stringify(labels);
    const one = this.counts.get(key) ?? { labels, count: 0 };
    one.count += 1;
    this.counts.set(key, one);
    this.took((performance.now() - began) / 1_000);
  };

  metrics(): Metric[] {
    const { buckets, sum } = this.times;
    const ends = [...BUCKETS_S.map(String), "+Inf"];
    const histogram: Sample[] = [
      ...buckets.map((value, i) => ({ suffix: "_bucket" as const, labels: { le: ends[i] as string }, value })),
      { suffix: "_sum", value: sum },
      { suffix: "_count", value: buckets.at(-1) as number },
    ];
    return [
      {
        name: "navigator_http_requests_total",
        help: "Requests that this process has answered.",
        type: "counter",
        samples: [...this.counts.values()].map(({ labels, count }) => ({ labels, value: count })),
      },
      {
        name: "navigator_http_request_seconds",
        help: "How long requests took until their answer began.",
        type: "histogram",
        samples: histogram,
      },
      {
        name: "navigator_http_rate_limited_total",
        help: "Requests that were refused because their caller was too fast.",
        type: "counter",
        samples: [{ value: this.rateLimited }],
      },
    ];
  }

  private took(seconds: number): void {
    this.times.sum += seconds;
    for (const [i, end] of [...BUCKETS_S, Number.POSITIVE_INFINITY].entries())
      if (seconds <= end) this.times.buckets[i] = (this.times.buckets[i] as number) + 1;
  }
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
