import type { AgentDefinition } from "../core/agent/definition/definition";
import { givenOptions, RunOptions, type RunOptionsInput } from "../core/agent/definition/run-options";
import type { Step } from "../core/agent/result/step";
import { contextOf, isStep } from "../core/agent/run/chain";
import { refusedContext } from "../core/agent/run/checks";
import { readInput } from "../core/base/invalid-input";
import type { JsonObject } from "../core/base/json";
import { NavigatorError, valueOrThrow } from "../core/base/navigator-error";
import { RUN_FORMAT } from "../core/base/run-format";
import { defaultJournal } from "../core/journal/given-journal";
import type { AgentRunInput } from "../workflows/agent-run-input";
import { checkedAgent, checkSendable, checkSize } from "./sendable";

/** The input of a run. */
export interface AgentRunOptions extends RunOptionsInput {
  /** From `defineAgent`, or the prompt alone: an agent without tools whose other options are the defaults. */
  agent: AgentDefinition | string;
  /** Data, or the Step of an earlier run: a chain (agent reference, section 6). */
  context?: JsonObject | Step;
  /**
   * `{}` when not given: a durable mission has a journal. null switches it off. A journal in the context
   * (`context: {journal: saved}`) is taken when this option has none (agent reference, section 10.1).
   */
  journal?: JsonObject | null;
  /** For an agent that names none; several are tried in order. A compiled agent may need none. */
  model?: string | string[];
  /**
   * What happens to a mission that returns `{:status :waiting}`: `park` (default) waits for a decision, for days if
   * needed; `return` ends the run with this value.
   */
  on_waiting?: "park" | "return";
}

/**
 * The workflow's input.
 *
 * @param known data that the run will have besides: its context is checked together with it
 * @throws NavigatorError `invalid_agent`, `invalid_run_options`, `validation_error` for a context that does not fit the
 * agent's signature, `not_json`, `payload_too_large`
 */
export function agentRunInput(options: AgentRunOptions, known: JsonObject = {}): AgentRunInput {
  const { agent: written, context = {}, journal, model = "", on_waiting = "park", ...given } = options;
  const read = valueOrThrow(readInput(RunOptions(), given, "invalid_run_options", "run options"));
  const agent = checkedAgent(written);
  const chained = isStep(context) ? contextOf(context) : { context };
  const input: AgentRunInput = {
    format: RUN_FORMAT,
    token_limit: null,
    // A short name that the run does not explain is refused before its first turn.
    llm_registry: {},
    ...chained,
    ...givenOptions(read),
    agent,
    journal: journal === undefined ? defaultJournal({ agent, context: chained.context }) : journal,
    model,
    on_waiting,
  };
  // What an earlier run gave is as exact as it was there.
  checkSendable("the context", input.context, { exactIntegers: !isStep(context) });
  const refusal = refusedContext({ ...input, context: { ...input.context, ...known } });
  if (refusal) {
    const { reason, message, details } = refusal;
    throw new NavigatorError(reason, message, { details, exitCode: 2 }); // Nothing was started.
  }
  checkSendable("the journal", input.journal);
  checkSize("the input", input);
  return input;
}
