import { HostMap, HostSet } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import { shortened } from "../../base/whole-characters";
import type { ProgramEnd, ProgramOptions, ToolRecord } from "../program";
import type { Fiber } from "./fiber";

export interface OutputsState {
  prints: PrintsState;
  pmap_calls: ProgramEnd["pmap_calls"];
  tool_cache: [string, Json][];
  summaries: [string, string][];
  defined: string[];
}

interface PrintsState {
  lines: string[];
  left: number;
  dropped: number;
}

/** What a program leaves besides its value: prints, tool calls, summaries, definitions. Gathered while it runs. */
export class ProgramOutputs {
  readonly prints: Prints;
  readonly toolCalls: ToolRecord[] = [];
  readonly pmapCalls: ProgramEnd["pmap_calls"] = [];
  readonly toolCache: Map<string, Json>;
  readonly summaries = new HostMap<string, string>();
  readonly defined = new HostSet<string>();

  constructor(options: ProgramOptions) {
    this.prints = new Prints(options.limits.max_print_chars);
    this.toolCache = new HostMap(options.tool_cache);
  }

  /** Answers that the cache was given at the start are left out. */
  state(given: ReadonlyMap<string, Json>): OutputsState {
    const { pmapCalls, toolCache, summaries, defined } = this;
    return {
      prints: this.prints.state(),
      pmap_calls: pmapCalls,
      tool_cache: [...toolCache].filter(([key, value]) => given.get(key) !== value),
      summaries: [...summaries],
      defined: [...defined],
    };
  }

  restore({ prints, pmap_calls, tool_cache, summaries, defined }: OutputsState): void {
    this.prints.restore(prints);
    this.pmapCalls.push(...pmap_calls);
    for (const [key, value] of tool_cache) this.toolCache.set(key, value);
    for (const [id, summary] of summaries) this.summaries.set(id, summary);
    for (const name of defined) this.defined.add(name);
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

/** Characters that one program can print. They are kept with the turn, and the model sees a part of them. */
const MAX_CHARS = 100_000;

/** The printed lines of a program, up to a size, and a count of the rest. */
class Prints {
  private readonly lines: string[] = [];
  private left = MAX_CHARS;
  private dropped = 0;
  /** Whether a parallel branch is running: its prints are dropped, like its definitions. */
  quiet = false;

  constructor(private readonly maxLine: number) {}

  state(): PrintsState {
    return { lines: this.lines, left: this.left, dropped: this.dropped };
  }

  restore({ lines, left, dropped }: PrintsState): void {
    this.lines.push(...lines);
    this.left = left;
    this.dropped = dropped;
  }

  add(line: string): void {
    if (this.quiet) return;
    if (this.left <= 0) {
      this.dropped += 1;
      return;
    }
    const shown = shortened(line, this.maxLine);
    // An empty line takes space too.
    this.left -= shown.length + 1;
    this.lines.push(shown);
  }

  all(): string[] {
    const { lines, dropped } = this;
    return dropped === 0 ? lines : [...lines, `... and ${dropped} more line${dropped === 1 ? "" : "s"}`];
  }
}
