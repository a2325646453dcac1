import { failed, type Result } from "../core/base/failure";
import type { Json } from "../core/base/json";
import { attemptPolicy, delayAfter } from "../core/calls/tool-attempts";
import { type MemoryCall, type MemoryHost, OUT_OF_TIME } from "../simulate/memory-host";
import { completesLater, invokeTool, isToolRetry } from "../tools";
import type { Effects } from "./effects";
import type { PlayedTool } from "./tools";

/** After this much silence a worker counts as lost, ms. */
const NOTICED_MS = 2_500;

/** The result of one attempt: an answer, nothing (its worker was lost), or a tool that asks for a retry. */
type Attempt = { answer: Result<Json> } | { lost_ms: number } | { again: Error & { after_ms?: number } };

/** The effect of a worker and Temporal on one call, including attempts. Time advances on this host only. */
export async function callInMemory(
  host: MemoryHost,
  effects: Effects,
  tool: PlayedTool,
  call: MemoryCall,
): Promise<Result<Json>> {
  const { name, deadline_ms } = call;
  const attempts = attemptPolicy(tool.spec);
  for (let attempt = 1; ; attempt++) {
    const made = await attemptCall(host, effects, tool, call, attempt);
    if ("answer" in made) return made.answer;
    const last = attempt >= attempts.max_attempts;
    if ("lost_ms" in made) {
      if (await host.late(made.lost_ms, deadline_ms)) return OUT_OF_TIME;
      if (last) return failed("tool_error", UNKNOWN, { tool: name, code: "unknown_outcome" });
    } else if (last)
      return failed("tool_error", made.again.message, { tool: name, code: "tool_error", retryable: true });
    const asked = "again" in made ? made.again.after_ms : undefined;
    if (await host.late(asked ?? delayAfter(attempts, attempt), deadline_ms)) return OUT_OF_TIME;
  }
}

const UNKNOWN =
  "the outcome is unknown: its worker was lost or it took longer than allowed. The effect may have happened.";

async function attemptCall(
  host: MemoryHost,
  effects: Effects,
  { spec, delay_ms }: PlayedTool,
  { name, args, key, task, agent, turn, deadline_ms }: MemoryCall,
  attempt: number,
): Promise<Attempt> {
  if (effects.loses("before", name, key)) return { lost_ms: NOTICED_MS };
  if (spec.timeout_ms !== undefined && delay_ms > spec.timeout_ms) return { lost_ms: spec.timeout_ms };
  if (await host.late(delay_ms, deadline_ms)) return { answer: OUT_OF_TIME };
  const call = { idempotencyKey: key, task: task ?? null, agent, turn, attempt, ...NOBODY_WAITS };
  try {
    const run = () => effects.run(name, args, call);
    const answer = await invokeTool({ spec, run }, args, call, completesLater);
    return effects.loses("after", name, key) ? { lost_ms: NOTICED_MS } : { answer };
  } catch (error) {
    if (isToolRetry(error)) return { again: error };
    if (!completesLater(error)) throw error;
    throw new Error(`Tool ${name} is completed from outside: give a stub for it in \`replace\`.`);
  }
}

const NOBODY_WAITS = { signal: new AbortController().signal, heartbeat: () => {}, token: "in-memory" };
