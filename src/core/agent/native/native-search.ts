import type { Json } from "../../base/json";
import type { NativeCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { FoundTool } from "../../lisp/values/context";
import type { AgentDefinition } from "../definition/definition";
import { nativeName } from "../definition/native-name";
import { searchName } from "../prompt/text-prompt";
import { needsSearch } from "../prompt/tool-index";
import type { ToolSearch } from "../tools/tool-search";
import { type Called, refused } from "./native-call";

/** Tools that the answer to an unknown name offers. */
const LIKELY = 5;

/** The search as a model in text mode calls it (agent reference, section 15). It is answered at once and costs no event. */
export class NativeSearch {
  private readonly name: string;

  constructor(
    private readonly agent: AgentDefinition,
    private readonly specs: readonly ToolSpec[],
    private readonly search: ToolSearch,
  ) {
    this.name = searchName(specs);
  }

  /** Whether a call is a search, and not a call of a tool. */
  isMatched({ name }: NativeCall): boolean {
    return this.isNeeded && name === this.name;
  }

  /**
   * @param note receives the names of the tools that were found: they are offered from the next call of the model on
   */
  answer({ name, args }: NativeCall, now: number, note: (names: string[]) => void): Called {
    const { query, limit } = args;
    if (typeof query !== "string" || query.trim() === "")
      return refused(`${name} needs the argument query: words that describe what the tool should do`);
    if (limit !== undefined && limit !== null && !isCount(limit))
      return refused(`${name}: limit must be an integer of at least 1`);
    const found = this.search.find(query, limit ?? undefined);
    note(found.map((tool) => tool.name));
    const tools = found.map((tool): FoundTool => ({ ...tool, name: nativeName(tool.name) }));
    const result = tools.map((tool) => ({ ...tool }));
    return {
      content: JSON.stringify({ tools }),
      record: { name, args, result, error: null, timestamp: now, duration_ms: 0 },
    };
  }

  /** The message to the model about a name that no tool has. */
  unknown(name: string): string {
    const { specs } = this;
    if (!this.isNeeded) return `Unknown tool: ${name}. Available tools: ${specs.map((spec) => spec.name).join(", ")}`;
    const likely = this.search.find(name, LIKELY).map((found) => nativeName(found.name));
    const alike = likely.length === 0 ? "" : ` Similar: ${likely.join(", ")}.`;
    return `Unknown tool: ${name}.${alike} There are ${specs.length} tools: find one with ${this.name}.`;
  }

  private get isNeeded(): boolean {
    return needsSearch(this.agent, this.specs.length);
  }
}

const isCount = (value: Json): value is number => typeof value === "number" && Number.isInteger(value) && value >= 1;
