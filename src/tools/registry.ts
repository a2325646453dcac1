import { failed, ok, type Result } from "../core/failure";
import type { ToolSpec } from "../core/tool";
import { ToolDefinitionError } from "./errors";
import { checkName, type Tool } from "./tool";

/** The tools of one worker, by name, in the order they were given. */
export class ToolRegistry {
  private readonly tools = new Map<string, Tool>();

  /** @throws ToolDefinitionError: `duplicate_tool`, `reserved_tool_name`, `invalid_tool`. */
  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.add(tool);
  }

  add(tool: Tool): void {
    if (typeof tool?.run !== "function" || typeof tool.spec !== "object" || tool.spec === null)
      throw new ToolDefinitionError("invalid_tool", "A tool is what defineTool gives; got something else.");
    const { name } = tool.spec;
    checkName(name);
    if (this.tools.has(name)) throw new ToolDefinitionError("duplicate_tool", `There are two tools called "${name}".`);
    this.tools.set(name, tool);
  }

  get(name: string): Tool | undefined {
    return this.tools.get(name);
  }

  names(): string[] {
    return [...this.tools.keys()];
  }

  specs(): ToolSpec[] {
    return [...this.tools.values()].map(({ spec }) => spec);
  }

  /** The specs of these tools, in this order; all unknown names are told at once (`tool_not_found`). */
  describe(names: readonly string[]): Result<ToolSpec[]> {
    const unknown = names.filter((name) => !this.tools.has(name));
    if (unknown.length > 0) return this.notFound(unknown);
    return ok(names.map((name) => (this.tools.get(name) as Tool).spec));
  }

  notFound(names: readonly string[]): Result<never> {
    const available = this.tools.size === 0 ? "No tools available." : `Available tools: ${this.names().join(", ")}`;
    return failed("tool_not_found", `Unknown tool${names.length === 1 ? "" : "s"}: ${names.join(", ")}. ${available}`, {
      available: this.names(),
    });
  }
}
