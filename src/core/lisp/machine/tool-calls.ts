import type { Result } from "../../failure";
import type { Json } from "../../json";
import { fromJson } from "../encode";
import { LispError } from "../errors";
import type { StartOptions, ToolRecord, ToolRequest } from "../program";
import { toolArguments, toolCacheKey } from "../tool-values";
import type { Value } from "../values";
import { toolError } from "./checks";
import type { Fiber } from "./fiber";
import type { Remains } from "./remains";
import type { Schedule } from "./schedule";

interface OpenCall {
  fiber: Fiber;
  record: ToolRecord;
  cacheKey: string | null;
}

/** Calls of tools: a fiber waits for the host's answer, unless the cache has one. */
export class ToolCalls {
  private readonly open = new Map<number, OpenCall>();
  private fresh: ToolRequest[] = [];
  private nextRequest = 1;

  constructor(
    private readonly options: StartOptions,
    private readonly remains: Remains,
    private readonly schedule: Schedule,
  ) {}

  /** Whether the host owes an answer. */
  get waiting(): boolean {
    return this.open.size > 0;
  }

  /** The requests that the host has not seen yet. */
  takeRequests(): ToolRequest[] {
    const requests = this.fresh;
    this.fresh = [];
    return requests;
  }

  call(fiber: Fiber, name: string, given: Value[]): void {
    const args = toolArguments(name, given);
    const cacheKey = this.options.tools.get(name)?.cache ? toolCacheKey(name, args) : null;
    const task = fiber.task();
    const record: ToolRecord = {
      name,
      args,
      result: null,
      error: null,
      timestamp: this.options.now(),
      duration_ms: 0,
      ...(task === undefined ? {} : { task }),
    };
    const { toolCache, toolCalls } = this.remains;
    if (cacheKey !== null && toolCache.has(cacheKey)) {
      const cached = toolCache.get(cacheKey) as Json;
      toolCalls.push({ ...record, result: cached, cached: true });
      return fiber.push(fromJson(cached));
    }
    this.checkLimit();
    toolCalls.push(record);
    const id = this.nextRequest++;
    this.open.set(id, { fiber, record, cacheKey });
    this.fresh.push({ id, name, args, ...(task === undefined ? {} : { task }) });
    fiber.state = "blocked";
  }

  answer(id: number, answer: Result<Json>): void {
    const call = this.open.get(id);
    if (!call) return;
    this.open.delete(id);
    const { fiber, record, cacheKey } = call;
    record.duration_ms = this.options.now() - record.timestamp;
    this.schedule.wake(fiber);
    if (answer.ok) {
      record.result = answer.value;
      if (cacheKey !== null) this.remains.toolCache.set(cacheKey, answer.value);
      fiber.push(fromJson(answer.value));
    } else {
      record.error = answer.fail.message;
      fiber.failure = toolError(record.name, answer.fail, fiber.place());
    }
  }

  private checkLimit(): void {
    const limit = this.options.limits.max_tool_calls;
    // Every request so far was a call: what the cache answers does not count.
    if (limit !== null && this.nextRequest > limit)
      throw new LispError(
        "tool_call_limit_exceeded",
        "tool_call_limit_exceeded",
        `more than ${limit} tool call(s) in one program`,
      );
  }
}
