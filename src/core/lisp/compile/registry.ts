import { didYouMean } from "../../base/input/did-you-mean";
import { HostMap } from "../../base/intrinsics";
import { BUILTINS, CONSTANTS, NAMESPACES } from "../builtins";
import { compileRegex } from "../builtins/regex";
import type { ToolFinder } from "../values/context";
import type { Place } from "../values/errors";
import { LispError } from "../values/errors";
import { unknownTools } from "../values/tool-values";
import type { Regex, Value } from "../values/values";
import { analysisError } from "./analysis-error";
import type { KnownNames } from "./emit";
import { absentHint } from "./hints";
import { SPECIAL_FORMS } from "./special-forms";

/** The builtins, tools and earlier definitions that a program may use. */
export class Registry implements KnownNames {
  private readonly patterns = new HostMap<string, Regex>();
  private readonly patternWork = {
    charge: (steps: number): void => {
      this.patternSteps -= steps;
      if (this.patternSteps < 0)
        throw new LispError("eval_error", "type_error", "the patterns of this program are too large together");
    },
    allocate: (): void => {},
  };

  constructor(
    private readonly remembered: ReadonlyMap<string, unknown>,
    private readonly tools: ReadonlyMap<string, unknown>,
    /**
     * Steps for all patterns of the program together. They have a separate limit because the program does not run
     * yet.
     */
    private patternSteps = MAX_PATTERN_STEPS,
    private readonly search?: ToolFinder,
  ) {}

  /** A builtin function or constant by its plain name. */
  value(name: string): Value | undefined {
    return BUILTINS.get(name) ?? CONSTANTS.get(name);
  }
  isRemembered(name: string): boolean {
    return this.remembered.has(name);
  }
  /**
   * Without any tools, calls are not checked beforehand: a program may consist of recorded tasks, whose bodies do not
   * run.
   */
  mayCall(tool: string): boolean {
    return this.tools.size === 0 || this.tools.has(tool);
  }
  unknownTools(names: string[], at: Place | undefined): LispError {
    return unknownTools(names, this.tools, at, this.search);
  }

  /** The builtin that `ns/name` means: some namespaces are dropped. */
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
      const known = this.patterns.get(source);
      if (known !== undefined) return known;
      const regex = compileRegex(source, this.patternWork);
      this.patterns.set(source, regex);
      return regex;
    } catch (error) {
      if (error instanceof LispError) throw analysisError("invalid_form", error.message, at);
      throw error;
    }
  }

  /** The known names most like an unknown one; `own` are the names that the program defines. */
  hint(name: string, own: Iterable<string> = []): string {
    const known = [...own, ...this.remembered.keys(), ...BUILTINS.keys(), ...SPECIAL_FORMS.keys()];
    return absentHint(name) ?? didYouMean(name, known);
  }

  /** Some calls are known to be wrong before anything runs. */
  checkCall(name: string, count: number, at: Place): void {
    if (COMPARISONS.has(name) && count !== 2)
      throw analysisError(
        "invalid_arity",
        `${name} takes exactly 2 arguments, got ${count}${count > 2 ? `: combine with and, as in (and (${name} a b) (${name} b c))` : ""}`,
        at,
      );
    if (name === "apply" && count < 2)
      throw analysisError("invalid_arity", `expected (apply f args), got ${count} argument(s)`, at);
  }
}

/** About a quarter of a second. */
const MAX_PATTERN_STEPS = 1_000_000;

const COMPARISONS = new Set(["=", "not=", "<", ">", "<=", ">="]);
