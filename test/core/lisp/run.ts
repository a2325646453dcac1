import type { Result } from "../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { LISP_LIMITS } from "../../../src/core/base/limits";
import {
  type LispLimits,
  type Program,
  type ProgramEnd,
  printValue,
  startProgram,
  type Value,
} from "../../../src/core/lisp";
import type { JournalPort } from "../../../src/core/lisp/program";
import { journalOver, runToEnd } from "../../../src/simulate/lisp-batch";

interface Setting {
  /** The input, which `data/` reads. */
  data?: JsonObject;
  journal?: Map<string, Json>;
  /** A journal of another kind. */
  port?: JournalPort;
  tools?: Record<string, { cache?: boolean }>;
  limits?: Partial<LispLimits>;
  /** Definitions of earlier turns. */
  memory?: ReadonlyMap<string, Value>;
  /** What tools answer; by default their arguments. */
  answers?: (name: string, args: JsonObject) => Result<Json>;
}

function optionsOf(source: string, setting: Setting) {
  const { data = {}, journal, port, tools = { echo: {} }, limits, memory = new Map() } = setting;
  return {
    source,
    data,
    memory,
    tools: new Map(Object.entries(tools)),
    journal: port ?? (journal ? journalOver(journal) : null),
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits: { ...LISP_LIMITS, ...limits },
    now: () => 1_000,
  };
}

/** The end of a program whose tools all answer at once. */
export function ended(source: string, setting: Setting = {}): ProgramEnd {
  return runToEnd(optionsOf(source, setting), setting.answers ?? ((_, args) => ({ ok: true, value: args })));
}

/** The printed value of a program, or `!! code` when it fails, with its message. */
export function evaluate(source: string, setting: Setting = {}): { text: string; message: string; prints: string[] } {
  return told(ended(source, setting));
}

export function told({ outcome, prints }: ProgramEnd): { text: string; message: string; prints: string[] } {
  if (outcome.kind === "error")
    return { text: `!! ${outcome.fail.details?.code}`, message: outcome.fail.message, prints };
  return { text: printValue(outcome.value), message: "", prints };
}

/** A program whose tools are answered by hand. */
export class Paused {
  private readonly program: Program;
  private open = new Map<string, number>();
  end: ProgramEnd | undefined;
  /** Tool calls so far. */
  requested = 0;

  constructor(source: string, setting: Setting = {}) {
    this.program = startProgram(optionsOf(source, setting));
    this.run();
  }

  /** The `:n` arguments of the tool calls that wait for an answer. */
  get calls(): string[] {
    return [...this.open.keys()];
  }

  /** Answers the call with this `:n` by a value (by its `:n` when none is given). */
  answer(n: string, value: Json = n): this {
    const id = this.open.get(n);
    if (id === undefined) throw new Error(`no call ${n} among ${this.calls.join(", ")}`);
    this.open.delete(n);
    this.program.resume(id, { ok: true, value });
    this.run();
    return this;
  }

  private run(): void {
    const state = this.program.run();
    if (state.state === "done") this.end = state.end;
    else for (const { id, args } of state.requests) this.open.set(String(args.n), id);
    if (state.state === "waiting") this.requested += state.requests.length;
  }
}
