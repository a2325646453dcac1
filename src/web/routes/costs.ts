import { z } from "zod";
import { costBookOf } from "../../client/costs/cost-book";
import { COST_GROUPS, type CostGroup, costReport } from "../../client/costs/cost-report";
import { rememberedBudgets } from "../../client/costs/reserved-budgets";
import { NavigatorError } from "../../core/base/navigator-error";
import { sharedRead } from "../requests/shared-read";
import { type EndpointCall, endpoint } from "./endpoint";

const DAY_MS = 24 * 60 * 60 * 1_000;
const DEFAULT_DAYS = 30;

const time = z.coerce.number().int().min(0);

const counts = {
  turns: z.number().meta({ description: "Answers of models" }),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_tokens: z.number().meta({ description: "The part of the input that came from a cache" }),
  cost: z.number().meta({ description: "US dollars, as far as prices are known" }),
  unpriced: z.number().optional().meta({ description: "Answers without a known price; absent = none" }),
};

const CostRow = z
  .object({
    key: z.string().meta({ description: "The day, agent or graph, model, or workflow id; empty = not known" }),
    kind: z.enum(["agent", "task", "plan"]).optional(),
    missions: z.number(),
    started_at: z.number().optional(),
    is_running: z.literal(true).optional(),
    ...counts,
  })
  .meta({ id: "CostRow" });

const amount = z.object({ tokens: z.number(), cost: z.number() });
const limit = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

/** What missions used in a time, and the budgets of those that run. */
export const Costs = z
  .object({
    from: z.number().meta({ description: "Ms since 1970" }),
    to: z.number().meta({ description: "Ms since 1970; not included" }),
    by: z.enum(COST_GROUPS),
    rows: z.array(CostRow),
    more_rows: z.number().meta({ description: "Rows that are left out: the total has them" }),
    total: z.object({ missions: z.number(), ...counts }),
    unknown: z.number().meta({ description: "Missions that do not report their usage" }),
    running: z.number().meta({ description: "Missions that still run: they reported it when they waited last" }),
    is_complete: z.boolean().meta({ description: "False: there are more missions than are counted" }),
    budgets: z.array(
      z.object({
        workflow_id: z.string(),
        agent: z.string().nullable(),
        limit,
        spent: amount,
        reserved: amount.meta({ description: "The most that the calls under way may take" }),
        closed: z.boolean().meta({ description: "Somebody refused to top it up" }),
      }),
    ),
    budgets_unknown: z.number().meta({ description: "Running missions that did not report whether they have one" }),
  })
  .meta({ id: "Costs" });

/** Sums of thousands of missions: many pages have the same for a while. */
const sharedCosts = sharedRead(
  async ({ client }: Pick<EndpointCall, "client">, asked) => {
    const { from, to, by, zone } = JSON.parse(asked) as { from: number; to: number; by: CostGroup; zone: string };
    const { missions, is_complete } = await costBookOf(client).started(from, to);
    const { budgets, unknown } = await rememberedBudgets(client, missions);
    return { from, to, by, ...costReport(missions, by, zone), is_complete, budgets, budgets_unknown: unknown };
  },
  { ms: 1_000 },
);

export const costsEndpoint = endpoint({
  method: "get",
  path: "/api/costs",
  needs: ["read"],
  operation: "showCosts",
  summary: "Turns, tokens and cost of missions by day, agent, model or mission; reserved budgets",
  tag: "Costs",
  query: z.object({
    from: time
      .optional()
      .meta({ description: "Missions that were started since; ms since 1970. Default: 30 days ago" }),
    to: time.optional().meta({ description: "Missions that were started before. Default: now" }),
    by: z.enum(COST_GROUPS).default("day"),
    zone: z.string().min(1).max(100).default("UTC").meta({ description: "Where days begin", example: "Europe/Rome" }),
  }),
  answer: Costs,
  errors: ["invalid_input", "server_error"],
  tagged: true,
  run: async ({ query, call }) => {
    const { by, zone } = query;
    const now = Date.now();
    // To the minute, so that the same answer has the same ETag.
    const to = query.to ?? Math.ceil((now + 1) / 60_000) * 60_000;
    const from = query.from ?? to - DEFAULT_DAYS * DAY_MS;
    if (from >= to)
      throw new NavigatorError("invalid_input", `from (${from}) must be before to (${to}).`, {
        details: { path: "from" },
      });
    return sharedCosts(call, JSON.stringify({ from, to, by, zone }));
  },
});
