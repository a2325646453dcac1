import { HostMap, HostSet } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import type { ProgramEnd, StartOptions, ToolRecord } from "../program";
import type { Fiber } from "./fiber";
import { Prints } from "./prints";

/** What a program leaves behind beside its value, gathered while it runs. */
export class Remains {
  readonly prints: Prints;
  readonly toolCalls: ToolRecord[] = [];
  readonly pmapCalls: ProgramEnd["pmap_calls"] = [];
  readonly toolCache: Map<string, Json>;
  readonly summaries = new HostMap<string, string>();
  readonly defined = new HostSet<string>();

  constructor(options: StartOptions) {
    this.prints = new Prints(options.limits.max_print_chars);
    this.toolCache = new HostMap(options.tool_cache);
  }

  end(
    outcome: ProgramEnd["outcome"],
    main: Fiber,
    { warnings, steps }: Pick<ProgramEnd, "warnings" | "steps">,
  ): ProgramEnd {
    return {
      outcome,
      memory: main.globals,
      defined: [...this.defined],
      summaries: this.summaries,
      prints: this.prints.all(),
      tool_calls: this.toolCalls,
      pmap_calls: this.pmapCalls,
      tool_cache: this.toolCache,
      warnings,
      steps,
    };
  }
}
