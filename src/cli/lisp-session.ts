import type { Json } from "../core/json";
import { LISP_LIMITS } from "../core/limits";
import { printValue, type Value } from "../core/lisp";
import { BUILTINS } from "../core/lisp/builtins";
import { absentHint, didYouMean } from "../core/lisp/compile/hints";
import type { ProgramEnd } from "../core/lisp/program";
import { journalOver, runToEnd } from "../simulate/lisp-batch";
import { excerpt } from "./lisp-input";

/** What a REPL keeps between inputs: definitions, the last results, a journal. Tools there are none. */
export class LispSession {
  private memory: ReadonlyMap<string, Value> = new Map();
  private history: Value[] = [];
  private readonly journal = new Map<string, Json>();

  constructor(private readonly now: () => number) {}

  run(source: string): ProgramEnd {
    const end = runToEnd(
      {
        source,
        data: {},
        memory: this.memory,
        tools: new Map(),
        journal: journalOver(this.journal),
        history: this.history,
        budget: {},
        tool_cache: new Map(),
        limits: LISP_LIMITS,
        now: this.now,
      },
      (name) => ({ ok: false, fail: { reason: "tool_not_found", message: `no tool ${name} here` } }),
    );
    if (end.outcome.kind !== "error") this.memory = end.memory;
    if (end.outcome.kind === "value") this.history = [end.outcome.value, ...this.history].slice(0, 3);
    return end;
  }
}

/** What a program left, for a person: its value, or what went wrong and where. */
export function renderEnd(source: string, { outcome }: ProgramEnd): { text: string; failed: boolean } {
  if (outcome.kind === "value" || outcome.kind === "return")
    return { text: printValue(outcome.value, { items: 100 }), failed: false };
  if (outcome.kind === "fail") return { text: `failed: ${printValue(outcome.value, { items: 100 })}`, failed: true };
  const { reason, message, details } = outcome.fail;
  const { line, column, code } = details ?? {};
  const name = typeof code === "string" && code !== reason ? `${reason}, ${code}` : reason;
  const where = typeof line === "number" && typeof column === "number" ? excerpt(source, line, column) : "";
  return { text: `${name}: ${message}${where ? `\n${where}` : ""}`, failed: true };
}

/** The name in `(doc name)`, when that is all of the input. */
export function docRequest(source: string): string | undefined {
  return /^\(doc\s+([^\s()[\]{}"]+)\s*\)$/.exec(source.trim())?.[1];
}

/** How to use a builtin. */
export function describeName(name: string): string {
  const builtin = BUILTINS.get(name);
  if (builtin) return [...builtin.doc.usage, `  ${builtin.doc.text}`].join("\n");
  const hint = absentHint(name) ?? didYouMean(name, BUILTINS.keys());
  return hint ? hint : `There is no builtin ${name}.`;
}
