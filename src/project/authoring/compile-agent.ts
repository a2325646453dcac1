import type { AgentDefinition } from "../../core/agent/definition/definition";
import { type CompiledAgent, compileOnHost as compile } from "../../core/agent/run/compile";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { asNavigatorError } from "../../core/base/navigator-error";
import type { ToolCall } from "../../core/calls/host";
import type { ModelResolver } from "../../models";
import { MemoryHost, type MemoryTool } from "../../simulate/memory-host";
import { invokeTool, type Tool } from "../../tools";

export type { CompiledAgent } from "../../core/agent/run/compile";

/**
 * Lets a model write the program of a one-turn agent once. Later runs need no model: give `source` as `program` to
 * `startAgent`. The program is tried here, in this process, with the tools given: their effects are real.
 *
 * @param options.sample what it is tried with; what is left out is made up from the signature
 * @throws NavigatorError with the reason of the failed run, or `invalid_agent`
 */
export async function compileAgent(
  agent: AgentDefinition,
  options: { model: string; models: ModelResolver; tools?: Tool[]; sample?: JsonObject },
): Promise<CompiledAgent> {
  const { model, models, tools = [], sample } = options;
  const host = new MemoryHost({
    model: { complete: (call, signal) => models.resolve(call.model).complete(call, signal) },
    tools: new Map(tools.map((tool) => [tool.spec.name, called(tool)])),
    agent: agent.name ?? null,
    now: Date.now(),
  });
  const compiled = await compile(host, agent, { model, ...defined({ sample }) });
  if (compiled.ok) return compiled.value;
  throw asNavigatorError(compiled.fail);
}

const called =
  (tool: Tool): MemoryTool =>
  (args: JsonObject, call: ToolCall) =>
    invokeTool(tool, args, {
      idempotencyKey: `compile/${call.turn}/${call.call}`,
      signal: new AbortController().signal,
      heartbeat: () => {},
      attempt: 1,
      task: call.task ?? null,
      agent: null,
      turn: call.turn,
      token: "",
    });
