import { z } from "zod";
import { durationMs } from "../../base/duration";
import { isoTime, isRealDay } from "../../base/iso-time";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { contextValue, isContextPath } from "./context-value";
import type { NodeKind, Standing } from "./node-kind";
import { advanceCall, unlessOver } from "./prose";
import { parts } from "./schema-parts";

/**
 * The task waits for a duration or until a time, then continues automatically with `passed` (graph reference, section 9.8).
 */

/** A longer wait counts as a mistake. */
const MAX_WAIT_MS = 3_650 * 24 * 60 * 60 * 1000;
const FOR_RULE =
  'must be a duration of at most 3650 days such as "2h" or milliseconds, or a path such as "context.delay"';
const UNTIL_RULE =
  'must be a time with its zone such as "2027-01-31T09:00:00Z", or a path such as "context.release.at"';

const schema = onFirstUse(() =>
  z
    .object({
      type: z.literal("wait"),
      ...parts().common,
      for: z
        .custom<number | string>((value) => isContextPath(value) || waitMs(value) !== undefined, FOR_RULE)
        .optional(),
      until: z.custom<string>((value) => isContextPath(value) || isoMs(value) !== undefined, UNTIL_RULE).optional(),
    })
    .refine((node) => node.for !== undefined || node.until !== undefined, {
      path: ["for"],
      message: "or until must define how long the task waits",
    })
    .refine((node) => node.for === undefined || node.until === undefined, {
      path: ["until"],
      message: "cannot be combined with for",
    }),
);
export type WaitNode = z.infer<ReturnType<typeof schema>>;

const OUTPUTS = ["passed"];

export const wait: NodeKind<WaitNode> = {
  schema,
  codes: { for: "invalid_wait", until: "invalid_wait" },
  place: "step",
  edges: "result",
  work: false,
  outputs: () => OUTPUTS,
  exit: (_node, id) => id,
  check: ({ nodeId, node: { read } }, findings) => {
    const { until } = read as Partial<WaitNode>;
    if (isNoDay(until))
      findings.errorIfNew("invalid_wait", `Node "${nodeId}": until is ${until}, and there is no such day.`, { nodeId });
  },
  contextProblem: ({ until = "" }, context) => {
    if (!isContextPath(until)) return undefined;
    const value = contextValue(until, context);
    if (isNoDay(value)) return { path: until, message: `is ${value}, and there is no such day` };
    if (typeof value !== "number" || Math.abs(value) >= FEWEST_MS) return undefined;
    const seconds = `${isoTime(value * 1_000)} would be ${value * 1_000}`;
    return { path: until, message: `is ${value}: in milliseconds since 1970 that is ${isoTime(value)}. ${seconds}` };
  },
  begins: "timer",
  arrival: (node, { context, atMs }) => {
    const dueMs = dueTime(node, context, atMs);
    return dueMs === undefined
      ? { status: "PENDING", blockedBy: "wait_time_unknown" }
      : { status: "IN_PROGRESS", waitingUntil: dueMs };
  },
  details: (node) => [`Waits ${waitText(node)}.`],
  call: (node, { task }) => unlessOver(task, () => callText(node, task)),
  terminal: () => null,
  drawing: {
    shape: (_node, label) => `[/"${label}"\\]`,
    color: () => "wait",
    caption: (node) => [`⏱ ${waitText(node)}`],
    about: waitText,
    sign: "◷",
  },
};

/** When a task that arrives at `atMs` continues, ms since 1970; undefined if its context has no such time. */
function dueTime(node: WaitNode, context: JsonObject, atMs: number): number | undefined {
  if (node.for !== undefined) {
    const ms = waitMs(typeof node.for === "string" ? contextValue(node.for, context) : node.for);
    return ms === undefined ? undefined : atMs + ms;
  }
  const value = contextValue(node.until ?? "", context);
  const dueMs = typeof value === "number" && Number.isSafeInteger(value) ? value : isoMs(value);
  return dueMs !== undefined && dueMs - atMs <= MAX_WAIT_MS ? dueMs : undefined;
}

function waitMs(value: unknown): number | undefined {
  const ms = durationMs(value);
  return ms !== undefined && ms <= MAX_WAIT_MS ? ms : undefined;
}

/** Ms since 1970 of a time with its zone. */
function isoMs(value: unknown): number | undefined {
  const withZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
  const ms = typeof value === "string" && withZone.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** A time with its zone, on a day that does not exist. */
const isNoDay = (value: unknown): value is string =>
  typeof value === "string" && isoMs(value) !== undefined && !isRealDay(value);

/** Less is a time in seconds: in milliseconds it is before March 1973. */
const FEWEST_MS = 1e11;

function waitText(node: WaitNode): string {
  if (node.for === undefined) return `until ${node.until}`;
  return `for ${typeof node.for === "number" ? `${node.for} ms` : node.for}`;
}

function callText(node: WaitNode, task: Standing["task"]): string {
  const { waitingUntil, blockedBy } = task;
  if (blockedBy !== undefined)
    return `The task's context has no time that it could wait ${waitText(node)}. When it may continue, call ${advanceCall(task, '"passed"')}.`;
  const until = waitingUntil === undefined ? "" : ` until ${isoTime(waitingUntil)}`;
  return `The task waits${until} and then continues automatically. No call is needed.`;
}
