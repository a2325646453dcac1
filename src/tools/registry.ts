import { toolsOfDefinitions } from "../core/agent/definition/agent-tools";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { failed, ok, type Result } from "../core/base/failure";
import { NavigatorError } from "../core/base/navigator-error";
import type { ToolSpec } from "../core/calls/tool";
import { type GivenTools, isSameTool, toolsOf } from "./given-tools";
import { checkName, type Tool } from "./tool";

/** The origin of a tool from code. */
export const FROM_CODE = "code";

const agentOrigin = (name: string): string => (name === "" ? "an agent without a name" : `agent ${name}`);

/** The tools of one worker, by name, in the order they were given. */
export class ToolRegistry {
  private readonly tools = new Map<string, Tool>();
  private readonly origins = new Map<string, string>();

  /**
   * @param tools of `defineTool`, and maps of AI SDK tools by their names
   * @throws NavigatorError: `already_exists`, `reserved_tool_name`, `invalid_tool`.
   */
  constructor(tools: GivenTools = []) {
    for (const tool of toolsOf(tools)) this.add(tool);
  }

  /** @param from where the tool comes from, for people: `mcp files` */
  add(tool: Tool, from: string = FROM_CODE): void {
    if (typeof tool?.run !== "function" || typeof tool.spec !== "object" || tool.spec === null)
      throw new NavigatorError(
        "invalid_tool",
        "A tool must be made with defineTool; tools of the AI SDK need a name: { name: tool }.",
      );
    const { name } = tool.spec;
    checkName(name);
    const other = this.origins.get(name);
    if (other !== undefined)
      throw new NavigatorError(
        "already_exists",
        other === from
          ? `There are two tools called "${name}". Rename one of them.`
          : `There are two tools called "${name}": one from ${other}, one from ${from}. Set another prefix for one of them.`,
        { details: { path: name, kind: "tool" } },
      );
    this.tools.set(name, tool);
    this.origins.set(name, from);
  }

  /**
   * Adds the tools that agents of `defineAgent` were given, unless they are there already.
   *
   * @throws NavigatorError `already_exists` for another tool of the same name
   */
  addToolsOf(agents: Iterable<AgentDefinition>): this {
    for (const { tool, agent } of [...agents].flatMap(toolsOfDefinitions)) {
      const { name } = tool.spec;
      const other = this.tools.get(name);
      if (other === undefined) this.add(tool as Tool, agentOrigin(agent));
      else if (!isSameTool(other, tool)) {
        const from = this.origins.get(name);
        throw new NavigatorError(
          "already_exists",
          `There are two tools called "${name}": one from ${from === FROM_CODE ? "`tools`" : from}, one from ${agentOrigin(agent)}. Give both places the same tool object, or another name to one of them.`,
          { details: { path: name, kind: "tool" } },
        );
      }
    }
    return this;
  }

  /** The tools of a source that changed. A name that another has is refused, as `add` refuses it; the others change. */
  replace(from: string, tools: readonly Tool[]): void {
    for (const [name, origin] of this.origins)
      if (origin === from) {
        this.tools.delete(name);
        this.origins.delete(name);
      }
    const errors = tools.flatMap((tool) => {
      try {
        this.add(tool, from);
        return [];
      } catch (error) {
        return [error];
      }
    });
    if (errors.length > 0) throw errors[0];
  }

  /** Where the tool of this name comes from. */
  from(name: string): string | undefined {
    return this.origins.get(name);
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

  /** The specs of these tools, in this order; one error names all unknown names (`tool_not_found`). */
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
