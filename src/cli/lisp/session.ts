import type { Json } from "../../core/base/json";
import { LISP_LIMITS } from "../../core/base/limits";
import { printValue, type Value } from "../../core/lisp";
import type { ProgramEnd } from "../../core/lisp/program";
import { journalOver, runToEnd } from "../../simulate/lisp-batch";
import { excerpt } from "./input";

/** What a REPL keeps between inputs: definitions, the last results and a journal. It has no tools. */
export class LispSession {
  private kept: ReadonlyMap<string, Value> = new Map();
  private history: Value[] = [];
  private readonly journal = new Map<string, Json>();

  constructor(private readonly now: () => number) {}

  /** What was defined, by name. */
  get memory(): ReadonlyMap<string, Value> {
    return this.kept;
  }

  run(source: string): ProgramEnd {
    const end = runToEnd(
      {
        source,
        data: {},
        memory: this.kept,
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
    if (end.outcome.kind !== "error") this.kept = end.memory;
    if (end.outcome.kind === "value") this.history = [end.outcome.value, ...this.history].slice(0, 3);
    return end;
  }
}

/** The result of a program as text: its value, or the error with its place. */
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
