import { defined } from "../base/defined";
import type { CallToolInput } from "./activities";
import type { KeyedCall } from "./host";
import { settingsForActivity, type ToolSpec } from "./tool";

/** A call of this tool, as its activity gets it. */
export function callInput(
  { name, args, key, task, turn, effect, approval }: KeyedCall,
  tool: ToolSpec,
  { agent, owner }: Pick<CallToolInput, "agent" | "owner">,
): CallToolInput {
  return {
    name,
    args,
    idempotency_key: key,
    agent,
    task: task ?? null,
    turn,
    ...(tool.effect === "read" ? { reads: true as const } : {}),
    ...defined({ effect, approval, owner, settings: settingsForActivity(tool) }),
  };
}
