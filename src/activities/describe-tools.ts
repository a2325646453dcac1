import type { NavigatorActivities } from "../core/calls/effects";
import type { ToolRegistry } from "../tools";

/** The specs of tools that an agent names only; unknown names are `tool_not_found`, all at once. */
export function describeTools(tools: ToolRegistry): NavigatorActivities["describeTools"] {
  return async (names) => tools.describe(names);
}
