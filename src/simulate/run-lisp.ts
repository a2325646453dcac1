import { type Failure, failed, ok } from "../core/base/failure";
import type { Json, JsonObject } from "../core/base/json";
import { LISP_LIMITS, type LispLimits } from "../core/base/limits";
import { thrownText } from "../core/base/navigator-error";
import { decodeMemory } from "../core/lisp/memory/memory";
import { LispError } from "../core/lisp/values/errors";
import { journalOver, memoryJson, outcomeJson, runToEnd } from "./lisp-batch";

/** Options of `runLisp`. All of them are optional. */
export interface RunLispOptions {
  /** The data of the program, read as `data/name`. */
  data?: JsonObject;
  /** Definitions of an earlier program: `memory` of its result. */
  memory?: JsonObject;
  /** The tools of the program, called as `tool/name`: functions of the arguments. A thrown error is a `tool_error`. */
  tools?: { readonly [name: string]: (args: JsonObject) => Json };
  /** Records of tasks by id; the program adds its own. Without it tasks run and are not recorded. */
  journal?: Map<string, Json>;
  /** The type that the result must fit, e.g. `{total :int}`. */
  signature?: string;
  /** Steps, bytes and counts; those not given are the defaults of a run. */
  limits?: Partial<LispLimits>;
  /** The time in milliseconds since 1970; default: the clock of the process. */
  now?: () => number;
}

/** How a bare program ended: exactly one of `ok` and `fail` is there. */
export interface LispResult {
  /** The value, as JSON. */
  ok?: Json;
  /**
   * Why it failed; `line` and `column` count from 1. After `(fail v)` the reason is `failed` and `value` is v, as the
   * original's interpreter answers: only an agent's run takes its reason from the `:reason` of v.
   */
  fail?: Failure & { line?: number; column?: number; value?: Json };
  /** The printed lines. */
  prints: string[];
  /** Its definitions, for a later program; those given when it failed by an error. */
  memory: JsonObject;
}

/**
 * Runs one program of PTC-Lisp without an agent, a model or a server, until it is over. Nothing of the program is
 * thrown: what is wrong with it is `fail` (lisp reference, section 14).
 */
export function runLisp(source: string, options: RunLispOptions = {}): LispResult {
  const { data = {}, memory = {}, tools = {}, journal, signature, limits, now = Date.now } = options;
  try {
    const end = runToEnd(
      {
        source,
        data,
        memory: decodeMemory(memory),
        tools: new Map(Object.keys(tools).map((name) => [name, {}])),
        journal: journal === undefined ? null : journalOver(journal),
        history: [],
        budget: {},
        tool_cache: new Map(),
        limits: { ...LISP_LIMITS, ...limits },
        now,
      },
      (name, args) => answer(tools[name]!, args),
    );
    const outcome = outcomeJson(end, signature);
    const kept = outcome.fail === undefined || end.outcome.kind === "fail";
    return { ...outcome, prints: end.prints, memory: kept ? memoryJson(end.memory) : memory };
  } catch (error) {
    if (!(error instanceof LispError)) throw error;
    return { fail: error.toFailure(), prints: [], memory };
  }
}

function answer(tool: (args: JsonObject) => Json, args: JsonObject) {
  try {
    return ok(tool(args));
  } catch (error) {
    return failed("tool_error", thrownText(error));
  }
}
