import { failed, ok, type Result } from "../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../src/core/base/json";

/** The small shop in which the case files run: the input that `data/` reads, and tools that answer by rule. */
export const DATA: JsonObject = {
  orders: [
    {
      id: 101,
      customer: "c1",
      status: "paid",
      total: 120,
      placed: "2031-03-01",
      items: [
        { sku: "pen", qty: 2, price: 10 },
        { sku: "desk", qty: 1, price: 100 },
      ],
    },
    {
      id: 102,
      customer: "c2",
      status: "open",
      total: 45,
      placed: "2031-03-02",
      items: [{ sku: "lamp", qty: 1, price: 45 }],
    },
    {
      id: 103,
      customer: "c1",
      status: "open",
      total: 30,
      placed: "2031-03-02",
      items: [{ sku: "pen", qty: 3, price: 10 }],
    },
    {
      id: 104,
      customer: "c3",
      status: "cancelled",
      total: 200,
      placed: "2031-03-04",
      items: [{ sku: "desk", qty: 2, price: 100 }],
    },
    {
      id: 105,
      customer: "c4",
      status: "paid",
      total: 90,
      placed: "2031-03-05",
      items: [{ sku: "lamp", qty: 2, price: 45 }],
    },
  ],
  // Nobody is c4, and c3 has no address.
  customers: [
    { id: "c1", name: "Ada", city: "Ulm", email: "ada@example.com" },
    { id: "c2", name: "Bo", city: "Kiel", email: "bo@example.org" },
    { id: "c3", name: "Cem", city: "Ulm", email: null },
  ],
  stock: { pen: 4, desk: 0, lamp: 7 },
  log: [
    "2031-03-01T08:00:00Z INFO api started port=8080",
    "2031-03-01T08:00:05Z WARN db slow query took=1200ms",
    "2031-03-01T08:01:00Z ERROR api GET /orders 500 took=35ms",
    "2031-03-01T08:01:02Z INFO api GET /orders 200 took=12ms",
    "2031-03-01T08:02:30Z ERROR db connection lost",
    "2031-03-01T08:02:31Z ERROR api GET /stock 502 took=9ms",
  ].join("\n"),
  invoice: [
    "Invoice INV-2031-007",
    "Date: 2031-03-09",
    "Paper, 3 x 4.50",
    "Ink, 1 x 19.90",
    "Total: 33.40 EUR",
    "Pay to DE12 3456 0000 by 2031-04-08",
  ].join("\n"),
  settings: { "max-retries": 3, dry_run: false, note: null, _token: "t-1" },
};

/** `rate` is cached: two calls with the same arguments are one. */
export const TOOLS: Record<string, { cache?: boolean }> = {
  echo: {},
  page: {},
  stock: {},
  ticket: {},
  flaky: {},
  refund: {},
  rate: { cache: true },
};

/** The tools of one program; `ticket`, `flaky` and `rate` count their calls. */
export function shopTools(): (name: string, args: JsonObject) => Result<Json> {
  const calls = new Map<string, number>();
  const counted = (key: string): number => {
    calls.set(key, (calls.get(key) ?? 0) + 1);
    return calls.get(key)!;
  };
  const refuse = (tool: string, code: string, message: string, retryable = false) =>
    failed("tool_error", message, { tool, code, retryable });
  const answers: Record<string, (args: JsonObject) => Result<Json>> = {
    echo: (args) => ok(args),
    /** Two ids of orders a page, and the number of the page after it. */
    page: ({ n = 1 }) => {
      const page = Number(n);
      const ids = [101, 102, 103, 104, 105].slice(page * 2 - 2, page * 2);
      return ok({ ids, next: page < 3 ? page + 1 : null });
    },
    stock: ({ sku }) => {
      const left = (DATA.stock as Record<string, number>)[String(sku)];
      return left === undefined ? refuse("stock", "unknown_sku", `no such sku: ${sku}`) : ok({ sku: sku!, left });
    },
    ticket: () => ok({ n: counted("ticket") }),
    /** Busy for the first `fails` calls with this id. */
    flaky: ({ id = null, fails = 0 }) => {
      const attempt = counted(`flaky ${id}`);
      return attempt <= Number(fails) ? refuse("flaky", "busy", `busy: ${id}`, true) : ok({ id, attempt });
    },
    refund: ({ order = null, amount = 0 }) =>
      Number(amount) > 100
        ? refuse("refund", "too_much", `refund of ${amount} is above 100`)
        : ok({ ref: `r-${order}`, amount }),
    rate: ({ from = null }) => ok({ from, rate: 1.5, call: counted("rate") }),
  };
  return (name, args) => answers[name]!(args);
}
