import { BUILTINS, CONSTANTS, NAMESPACES } from "../builtins";
import { compilePattern as compileRegex } from "../builtins/regex";
import type { Place } from "../errors";
import { LispError } from "../errors";
import type { Regex, Value } from "../values";
import { analysisError } from "./compiler";
import { absentHint, didYouMean } from "./hints";
import { SPECIAL_FORM_NAMES } from "./special-form-names";

/** All names a program may use that it does not define itself. */
export class Registry {
  constructor(
    private readonly remembered: { has(name: string): boolean },
    private readonly tools: ReadonlyMap<string, unknown>,
  ) {}

  /** A builtin function or constant by its plain name. */
  value(name: string): Value | undefined {
    return BUILTINS.get(name) ?? CONSTANTS.get(name);
  }
  isRemembered(name: string): boolean {
    return this.remembered.has(name);
  }
  hasTool(name: string): boolean {
    return this.tools.has(name);
  }
  toolNames(): string[] {
    return [...this.tools.keys()].sort();
  }

  /** `ns/name` where the namespace is one that is dropped and the rest a builtin. */
  qualified(namespace: string, rest: string): Value | undefined {
    const whole = this.value(`${namespace}/${rest}`);
    if (whole !== undefined) return whole;
    return NAMESPACES.has(namespace) ? this.value(rest) : undefined;
  }
  unknownName(namespace: string, rest: string): string {
    const family = NAMESPACES.get(namespace);
    const advice = absentHint(`${namespace}/${rest}`) ?? (family === undefined ? undefined : absentHint(rest));
    if (advice !== undefined) return advice;
    if (family === undefined) return `unknown namespace ${namespace}/: use tool/ for tools, data/ for input data`;
    const names = [...BUILTINS.values()].filter((one) => one.doc.family === family).map((one) => one.name);
    const likely = didYouMean(rest, names);
    return `${namespace}/${rest} is not available${likely ? `, ${likely}` : "."} Functions of this kind: ${names.join(", ")}`;
  }

  regex(source: string, at: Place): Regex {
    try {
      return compileRegex(source);
    } catch (error) {
      if (error instanceof LispError) throw analysisError("invalid_form", error.message, at);
      throw error;
    }
  }

  hint(name: string): string {
    return absentHint(name) ?? didYouMean(name, [...BUILTINS.keys(), ...SPECIAL_FORM_NAMES]);
  }

  /** Comparisons take two arguments: known before anything runs. */
  checkCall(name: string, count: number, at: Place): void {
    if (COMPARISONS.has(name) && count !== 2)
      throw analysisError(
        "invalid_arity",
        `${name} takes exactly 2 arguments, got ${count}${count > 2 ? `: combine with and, as in (and (${name} a b) (${name} b c))` : ""}`,
        at,
      );
  }
}

const COMPARISONS = new Set(["=", "not=", "<", ">", "<=", ">="]);
