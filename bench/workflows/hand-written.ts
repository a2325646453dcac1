import {
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  executeChild,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from "@temporalio/workflow";
import type { Json, JsonObject } from "../../src/core/base/json";
import type { NavigatorActivities } from "../../src/core/calls/activities";

export { handWrittenTask } from "./hand-written-task";

/**
 * What a competent person writes by hand on Temporal for the same work, calling the very same activities. It has
 * no journal, no language and no Mission Log: the difference is what those cost.
 */
export interface HandWritten {
  name: string;
  /** One list of calls for each turn; a turn's calls run in sequence, or together. */
  turns: { name: string; args: JsonObject }[][];
  together: boolean;
  /** Tools as local activities. */
  local: boolean;
  /** A lost worker is noticed by its silence; without it, by the activity's own time limit, as Temporal's samples have it. */
  tuned: boolean;
}

const RETRY = { initialInterval: "100ms", maximumAttempts: 10 } as const;
const tuned = proxyActivities<NavigatorActivities>({
  startToCloseTimeout: "5 minutes",
  heartbeatTimeout: "2500ms",
  retry: RETRY,
});
const plain = proxyActivities<NavigatorActivities>({ startToCloseTimeout: "1 minute" });
const local = proxyLocalActivities<NavigatorActivities>({ startToCloseTimeout: "10s", retry: RETRY });

export async function handWrittenAgent(input: HandWritten): Promise<Json> {
  const { runCalls, callTool } = input.tuned ? tuned : plain;
  const toolCall = input.local ? local.callTool : callTool;
  const messages: { role: "user" | "assistant"; content: string }[] = [{ role: "user", content: "go" }];
  let last: Json = null;
  let call = 0;
  for (const [index, calls] of input.turns.entries()) {
    const turn = index + 1;
    // The conversation is sent whole each time, as agents on Temporal usually do it.
    const { reply } = await runCalls({
      n: turn,
      turn,
      mission: input.name,
      agent: input.name,
      now: Date.now(),
      paused_ms: 0,
      model: {
        model: "scripted",
        turn,
        call: turn,
        output: "ptc_lisp",
        tool_names: [],
        agent: input.name,
        conversation: {
          key: `${input.name}/${turn}`,
          base: 0,
          version: 1,
          system: { keep: 0, add: SYSTEM },
          messages: { keep: 0, add: messages },
        },
      },
    });
    messages.push({ role: "assistant", content: reply?.content ?? "" }, { role: "user", content: `turn ${turn} done` });
    const run = async (one: { name: string; args: JsonObject }) => {
      call += 1;
      const answer = await toolCall({
        ...one,
        idempotency_key: `${input.name}/${turn}/${call}`,
        agent: input.name,
        task: null,
        turn,
      });
      last = answer.ok ? answer.value : null;
    };
    if (input.together) await Promise.all(calls.map(run));
    else for (const one of calls) await run(one);
  }
  return last;
}

/** About what an agent's system prompt takes, so that both sides send as much text once. */
const SYSTEM = "You are an agent. ".repeat(400);

const wake = defineSignal("wake");

/** Parked: charged once, then waiting for a person. */
export async function handWrittenParked(input: HandWritten): Promise<Json> {
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });
  const last = await handWrittenAgent(input);
  await condition(() => woken);
  return last;
}

const approve = defineUpdate<null, [string]>("approve");
const waits = defineQuery<boolean>("waits");

/** A person approves the call before the worker makes it. */
export async function handWrittenApproval(input: HandWritten): Promise<Json> {
  const { callTool } = input.tuned ? tuned : plain;
  const [call] = input.turns.flat();
  if (call === undefined) throw new Error("The mission has no call.");
  let by: string | null = null;
  let isWaiting = false;
  setHandler(approve, (person) => {
    by = person;
    return null;
  });
  setHandler(waits, () => isWaiting);
  await handWrittenAgent({ ...input, turns: [[]] });
  isWaiting = true;
  await condition(() => by !== null);
  const answer = await callTool({
    ...call,
    idempotency_key: `${input.name}/1/1`,
    agent: input.name,
    task: null,
    turn: 1,
  });
  return answer.ok ? answer.value : null;
}

export interface HandWrittenPlan {
  tasks: number;
  /** One after another; else so many at once. */
  chain: boolean;
  at_once: number;
  task: HandWritten;
}

/** A parent whose children do the work. It knows nothing of results that others need, of failures or of people. */
export async function handWrittenPlan({ tasks, chain, at_once, task }: HandWrittenPlan): Promise<Json[]> {
  const results: Json[] = [];
  let next = 0;
  const worker = async () => {
    while (next < tasks) {
      const index = next++;
      results[index] = await executeChild(handWrittenAgent, { args: [task] });
    }
  };
  await Promise.all(Array.from({ length: chain ? 1 : at_once }, worker));
  return results;
}
