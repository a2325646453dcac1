import { setTimeout as delay } from "node:timers/promises";
import type { ActivityInterceptorsFactory, Worker } from "@temporalio/worker";
import { isObject } from "../../core/base/is-object";
import { RUN_CALLS } from "../../core/calls/run-calls";
import { withInnerCalls } from "../../node/telemetry/inner-calls";

/** A call of a tool or a model that runs in a process with the project's code. */
export interface OpenCall {
  /** For people: the tool's name, or what else is called. */
  what: string;
  /** It changes something in the world: if it is cut off, it is made again, or a person is asked what it did. */
  hasEffect: boolean;
  /** When its own time limit is over, in ms since 1970. */
  until: number;
}

/** A heartbeat notifies a call that its time limit is over. Then the call may clean up for this time. */
const CLEAN_UP_MS = 30_000;

/** Activities that change nothing, whatever is called. Of tools it depends on the tool. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...["readKeptCalls", "priceModels", "lookUpEffect", "describeTools", "verifyDecisions"],
  ...["findDefinition", "findAgentEnd", "findEffects"],
]);

/** Selects the calls that code still waits for, beyond `lastCalls_ms`, after the request to stop. */
export const waitedFor = (calls: readonly OpenCall[], now: number): OpenCall[] =>
  calls.filter(({ hasEffect, until }) => hasEffect && now < until + CLEAN_UP_MS);

/**
 * Whether a process that received the request to stop may be killed: its time is over, and no call with an effect is open whose own time
 * limit is not over.
 */
export const mayBeKilled = (
  calls: readonly OpenCall[],
  { stopped_at, lastCalls_ms, now }: { stopped_at: number; lastCalls_ms: number; now: number },
): boolean => now >= stopped_at + lastCalls_ms && waitedFor(calls, now).length === 0;

/** Keeps which calls are open in this process, and reports each change before the call begins. */
export class OpenCalls {
  private readonly open = new Set<OpenCall>();

  constructor(private readonly report: (calls: OpenCall[], sent: () => void) => void) {}

  get all(): OpenCall[] {
    return [...this.open];
  }

  /** @param hasEffect whether a tool has an effect */
  interceptor(hasEffect: (tool: string) => boolean): ActivityInterceptorsFactory {
    return ({ info: { activityType, startToCloseTimeoutMs } }) => ({
      inbound: {
        execute: (input, next) => {
          const [given] = input.args;
          const tool = isObject(given) && typeof given.name === "string" ? given.name : null;
          const until = () => Date.now() + startToCloseTimeoutMs;
          // Between their calls nothing is open: the results are kept, and another process continues after them.
          if (activityType === RUN_CALLS)
            return withInnerCalls(
              (one, work) =>
                one === "model"
                  ? this.during({ what: "callModel", hasEffect: false, until: until() }, work)
                  : this.during({ what: one.input.name, hasEffect: hasEffect(one.input.name), until: until() }, work),
              () => next(input),
            );
          const acts =
            activityType === "callTool" && tool !== null ? hasEffect(tool) : !WITHOUT_EFFECT.has(activityType);
          return this.during({ what: tool ?? activityType, hasEffect: acts, until: until() }, () => next(input));
        },
      },
    });
  }

  private async during<T>(call: OpenCall, work: () => Promise<T>): Promise<T> {
    this.open.add(call);
    // Code that never yields would keep the message back.
    await new Promise<void>((sent) => this.report(this.all, sent));
    try {
      return await work();
    } finally {
      this.open.delete(call);
      this.report(this.all, () => {});
    }
  }
}

const LOOK_MS = 50;
/** Calls that were aborted may report their end for this time. */
const LAST_REPORTS_MS = 5_000;

/**
 * Waits until the time to drain is over, and aborted calls had time to end.
 *
 * Nothing aborts reads within workflow tasks: such a worker would try a slow one again and again, and report to the model in the end that
 * it failed. Once only they run the wait ends: the workflow task goes to the next worker, which makes the read anew.
 *
 * @returns the names of the open calls that ignore the request to stop
 */
export async function callsLeft(
  worker: Pick<Worker, "getStatus">,
  openCalls: Pick<OpenCalls, "all">,
  lastCalls_ms: number,
): Promise<string[]> {
  await delay(lastCalls_ms, undefined, { ref: false });
  for (
    const until = Date.now() + LAST_REPORTS_MS;
    Date.now() < until;
    await delay(LOOK_MS, undefined, { ref: false })
  ) {
    const { numInFlightLocalActivities: reads, numInFlightNonLocalActivities: others } = worker.getStatus();
    if (reads > 0 && others === 0) return [];
  }
  return openCalls.all.map(({ what }) => what);
}
