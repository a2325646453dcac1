import { type CallPlan, type CallSituation, LONGEST_LOCAL_CALL_MS, planCall } from "../../../src/core/calls/plan-call";
import type { ToolSpec } from "../../../src/core/calls/tool";

/** A decision table: each row is a rule, and a column that it does not name does not matter. Every case is in exactly one row. */

type Effect = ToolSpec["effect"];
const EFFECTS: Effect[] = ["read", "idempotent", "write", "irreversible"];

/** What a tool can say of its calls, beyond their effect. */
const OPTIONS = {
  nothing: {},
  alone: { alone: true },
  batch: { batch: 50 },
  "batch and alone": { batch: 50, alone: true },
  "the longest local timeout": { timeout_ms: LONGEST_LOCAL_CALL_MS },
  "a longer timeout": { timeout_ms: LONGEST_LOCAL_CALL_MS + 1 },
  "batch and a longer timeout": { batch: 50, timeout_ms: LONGEST_LOCAL_CALL_MS + 1 },
  task_queue: { task_queue: "other" },
  "batch and task_queue": { batch: 50, task_queue: "other" },
  heartbeat: { heartbeat_ms: 1_000 },
  "batch and heartbeat": { batch: 50, heartbeat_ms: 1_000 },
  rate_limit: { rate_limit: { max: 1, per_ms: 1_000 } },
  "batch and rate_limit": { batch: 50, rate_limit: { max: 1, per_ms: 1_000 } },
  completes_later: { completes_later: true },
  "batch and completes_later": { batch: 50, completes_later: true },
  approval: { approval: true },
  "batch and approval": { batch: 50, approval: true },
  "batch and one attempt": { batch: 50, retry: { max_attempts: 1 } },
  "batch and shared effects": { batch: 50, identity_scope: "namespace" },
} as const satisfies Record<string, Partial<ToolSpec>>;
type Option = keyof typeof OPTIONS;

const ALL = Object.keys(OPTIONS) as Option[];
/** A tool of these makes calls side by side. */
const BATCHES: Option[] = ["batch", "batch and alone", "batch and a longer timeout"];
/** A read of these takes no longer than a workflow task may, and its worker need not wait. */
const SHORT: Option[] = [
  ...["nothing", "alone", "batch", "batch and alone", "the longest local timeout"],
  ...["approval", "batch and approval", "batch and one attempt", "batch and shared effects"],
] as Option[];
const without = (...options: Option[]): Option[] => ALL.filter((option) => !options.includes(option));

interface Rule extends Partial<CallSituation> {
  why: string;
  effect?: Effect[];
  option?: Option[];
  plan: CallPlan;
}

const CALM = { approved: false, late: false, blocked: false, tried: false } as const;
const CAN_BATCH: Pick<Rule, "effect" | "option"> = { effect: ["read", "idempotent", "write"], option: BATCHES };
const LOCAL: Pick<Rule, "effect" | "option"> = { effect: ["read"], option: SHORT };

const RULES: Rule[] = [
  { why: "several calls of a tool with batch", ...CAN_BATCH, parallel: true, ...CALM, plan: "side_by_side" },
  { why: "approved: its activity checks that", ...CAN_BATCH, parallel: true, approved: true, plan: "alone" },
  { why: "it is given up", ...CAN_BATCH, parallel: true, approved: false, late: true, plan: "alone" },
  {
    ...{ why: "only Temporal finds a worker with the tool", ...CAN_BATCH },
    ...{ parallel: true, approved: false, late: false, blocked: true, plan: "alone" },
  },
  {
    ...{ why: "its attempts are those of its own policy now", ...CAN_BATCH },
    ...{ parallel: true, ...CALM, tried: true, plan: "alone" },
  },
  { why: "irreversible: never with others", effect: ["irreversible"], option: BATCHES, parallel: true, plan: "alone" },
  { why: "no batch", option: without(...BATCHES), parallel: true, plan: "alone" },
  { why: "a short read", ...LOCAL, parallel: false, approved: false, blocked: false, plan: "local" },
  { why: "a run cannot answer during a local activity", ...LOCAL, parallel: false, approved: true, plan: "alone" },
  {
    ...{ why: "a local activity would ask the same worker again", ...LOCAL },
    ...{ parallel: false, approved: false, blocked: true, plan: "alone" },
  },
  {
    why: "a read that takes long or waits",
    effect: ["read"],
    option: without(...SHORT),
    parallel: false,
    plan: "alone",
  },
  {
    ...{ why: "its history shows the effect before the call" },
    ...{ effect: ["idempotent", "write", "irreversible"], parallel: false, plan: "alone" },
  },
];

interface Case extends CallSituation {
  effect: Effect;
  option: Option;
}

const BOTH = [false, true];
const CASES: Case[] = EFFECTS.flatMap((effect) =>
  ALL.flatMap((option) =>
    BOTH.flatMap((parallel) =>
      BOTH.flatMap((approved) =>
        BOTH.flatMap((late) =>
          BOTH.flatMap((blocked) =>
            BOTH.map((tried) => ({ effect, option, parallel, approved, late, blocked, tried })),
          ),
        ),
      ),
    ),
  ),
);

const isOf =
  ({ why: _, plan: __, effect, option, ...situation }: Rule) =>
  (one: Case): boolean =>
    effect?.includes(one.effect) !== false &&
    option?.includes(one.option) !== false &&
    Object.entries(situation).every(([name, value]) => one[name as keyof CallSituation] === value);

test("every case is in one row of the table, and in no other", () => {
  const rowsOf = CASES.map((one) => RULES.filter((rule) => isOf(rule)(one)).map(({ why }) => why));
  expect(CASES).toHaveLength(4 * ALL.length * 32);
  expect(rowsOf.map((rows, at) => ({ ...CASES[at], rows })).filter(({ rows }) => rows.length !== 1)).toEqual([]);
});

test.each(RULES)("$why: $plan", (rule) => {
  const cases = CASES.filter(isOf(rule));
  expect(cases.length).toBeGreaterThan(0);
  const planned = cases.map(({ effect, option, ...situation }) => ({
    ...{ effect, option, ...situation },
    plan: planCall({ name: "charge", effect, ...OPTIONS[option] }, situation),
  }));
  expect(planned.filter(({ plan }) => plan !== rule.plan)).toEqual([]);
});
