import { givenOptions, RunOptions, type RunOptionsInput } from "../../core/agent/definition/run-options";
import { type AnyAgent, type ContextOf, contextBySchema } from "../../core/agent/definition/typed-agent";
import type { Step } from "../../core/agent/result/step";
import { contextOf, isStep } from "../../core/agent/run/chain";
import { refusedContext } from "../../core/agent/run/checks";
import type { Failure } from "../../core/base/failure";
import { readInput } from "../../core/base/input/invalid-input";
import type { JsonObject } from "../../core/base/json";
import { asNavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { presentFormat } from "../../core/base/run-format";
import { defaultJournal } from "../../core/journal/given-journal";
import type { AgentRunInput } from "../agent-run-input";
import { checkedAgent, checkSendable, checkSize } from "./sendable";

/** The agent of a run, and its context. */
export type AgentAndContext<A extends AnyAgent = AnyAgent> = {
  /** From `defineAgent`, or the prompt alone: an agent without tools whose other options are the defaults. */
  agent: A;
} & (Record<never, never> extends ContextOf<A> ? { context?: GivenContext<A> } : { context: GivenContext<A> });

/** Data, or the Step of an earlier run: a chain (agent reference, section 6). */
type GivenContext<A extends AnyAgent> = ContextOf<A> | Step;

/** The input of a run. */
export type AgentRunOptions<A extends AnyAgent = AnyAgent> = RunInput & AgentAndContext<A>;

/** The input of a run, besides its agent and context. */
export interface RunInput extends RunOptionsInput {
  /**
   * `{}` when not given: a durable mission has a journal. null switches it off. A journal in the context
   * (`context: {journal: saved}`) is taken when this option has none (agent reference, section 10.1).
   */
  journal?: JsonObject | null;
  /**
   * The context comes from somebody who is not the application, as the body of a request does: all of it is data.
   * Navigator ignores a journal in it and does not unpack a Step, since both could claim that a person has answered
   * (docs/security.md). Such a run has a journal: null counts as `{}`. Default: false.
   */
  untrusted_context?: boolean;
  /** For an agent that names none; several are tried in order. A compiled agent may need none. */
  model?: string | string[];
  /**
   * The treatment of a mission that returns `{:status :waiting}`: `park` (default) waits for a decision, for days if
   * needed; `return` ends the run with this value.
   */
  on_waiting?: "park" | "return";
}

/**
 * The workflow's input.
 *
 * @param known data that the run will have besides: its context is checked together with it
 * @throws NavigatorError `invalid_agent`, `invalid_input`, `validation_error` for a context that does not fit the
 * agent's schema or signature, `invalid_input`, `payload_too_large`
 */
export function agentRunInput(options: AgentRunOptions, known: JsonObject = {}): AgentRunInput {
  const { agent: written, context = {}, journal, model = "", on_waiting = "park", ...more } = options;
  const { untrusted_context: isData = false, ...given } = more;
  const read = valueOrThrow(readInput(RunOptions(), given, "invalid_input", "run options"));
  const agent = checkedAgent(written);
  const step = !isData && isStep(context);
  const chained = step ? contextOf(context) : { context: context as JsonObject };
  const fits = contextBySchema(written, chained.context, known);
  if (!fits.ok) throw refused(fits.fail);
  const input: AgentRunInput = {
    ...presentFormat(),
    token_limit: null,
    // A short name that the run does not explain is refused before its first turn.
    llm_registry: {},
    ...chained,
    context: fits.value,
    ...givenOptions(read),
    agent,
    journal: isData
      ? (journal ?? {})
      : journal === undefined
        ? defaultJournal({ agent, context: chained.context })
        : journal,
    model,
    on_waiting,
  };
  // What an earlier run gave is as exact as it was there.
  checkSendable("the context", input.context, { exactIntegers: !step });
  const refusal = refusedContext({ ...input, context: { ...input.context, ...known } });
  if (refusal) throw refused(refusal);
  checkSendable("the journal", input.journal);
  checkSize("the input", input);
  return input;
}

/** Nothing was started. */
const refused = (fail: Failure) => asNavigatorError(fail, { exitCode: 2 });
