import { failed, type Result } from "../core/base/failure";
import type { Json, JsonObject } from "../core/base/json";
import { type EffectLookup, GIVEN_UP } from "../core/calls/host";
import { attemptPolicy, delayAfter } from "../core/calls/tool-attempts";
import { undoKey } from "../core/effects/effect-key";
import type { UndoStep } from "../core/effects/undo/undo-plan";
import type { MemoryCall, MemoryHost } from "../simulate/memory-host";
import { completesLater, invokeTool, isToolRetry, lookUpEffect, type Tool, undoEffect } from "../tools";
import type { Effects } from "./effects";
import type { PlayedTool } from "./tools";

/** After this much silence a worker counts as lost, ms. */
const NOTICED_MS = 2_500;

/** The result of one attempt: an answer, nothing (its worker was lost), or a tool that asks for a retry. */
type Attempt =
  | { answer: Result<Json> }
  | { lost_ms: number }
  | { again: Error & { after_ms?: number } }
  /** The service can be asked again with the same key. */
  | { unsure: Result<Json> };

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
      if (await host.late(made.lost_ms, deadline_ms)) return GIVEN_UP;
      if (last) return failed("tool_error", UNKNOWN, { tool: name, code: "unknown_outcome" });
    } else if ("unsure" in made) {
      if (last) return made.unsure;
    } else if (last)
      return failed("tool_error", made.again.message, { tool: name, code: "tool_error", retryable: true });
    const asked = "again" in made ? made.again.after_ms : undefined;
    if (await host.late(asked ?? delayAfter(attempts, attempt), deadline_ms)) return GIVEN_UP;
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
  if (await host.late(delay_ms, deadline_ms)) return { answer: GIVEN_UP };
  const call = { idempotencyKey: key, task: task ?? null, agent, turn, attempt, ...NOBODY_WAITS };
  try {
    const run = () => effects.run(name, args, call);
    const answer = await invokeTool({ spec, run }, args, call, completesLater);
    if (effects.loses("after", name, key)) return { lost_ms: NOTICED_MS };
    const isUnknown = !answer.ok && answer.fail.details?.code === "unknown_outcome";
    return isUnknown && spec.effect === "idempotent" ? { unsure: answer } : { answer };
  } catch (error) {
    if (isToolRetry(error)) return { again: error };
    if (!completesLater(error)) throw error;
    throw new Error(`Tool ${name} is completed from outside: give a stub for it in \`replace\`.`);
  }
}

/** The lookup of an effect whose outcome is lost. One that asks for another attempt cannot say. */
export async function lookUpInMemory(
  effects: Effects,
  { spec }: PlayedTool,
  args: JsonObject,
  { name, key, task, agent, turn }: MemoryCall,
): Promise<EffectLookup> {
  if (!spec.lookup) return { state: "unknown" };
  const call = { idempotencyKey: key, task: task ?? null, agent, turn, attempt: 1, ...NOBODY_WAITS };
  const lookup: Tool["lookup"] = (...asked) => effects.lookUp(name, ...asked);
  try {
    return await lookUpEffect({ spec, run: async () => null, lookup }, args, call);
  } catch (error) {
    if (!isToolRetry(error)) throw error;
    return { state: "unknown", message: error.message };
  }
}

/** The undo of one effect: tried again like a write, with the same key. */
export async function undoEffectInMemory(
  host: MemoryHost,
  effects: Effects,
  { spec }: PlayedTool,
  { key, args, result, task, turn }: UndoStep,
): Promise<Result<Json>> {
  const attempts = attemptPolicy({ effect: "write" });
  for (let attempt = 1; ; attempt++) {
    const context = { idempotencyKey: undoKey(key), callKey: key, task: task ?? null, agent: null, turn, attempt };
    const undo: Tool["undo"] = (...asked) => effects.undo(spec.name, ...asked);
    try {
      const tool = { spec, run: async () => null, ...(spec.undo && { undo }) };
      return await undoEffect(tool, args, result, { ...context, ...NOBODY_WAITS });
    } catch (error) {
      if (!isToolRetry(error)) throw error;
      if (attempt >= attempts.max_attempts)
        return failed("tool_error", error.message, { tool: spec.name, code: "tool_error", retryable: true });
      await host.sleep(error.after_ms ?? delayAfter(attempts, attempt));
    }
  }
}

const NOBODY_WAITS = { signal: new AbortController().signal, heartbeat: () => {}, token: "in-memory" };
