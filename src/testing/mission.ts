import type { AgentInput } from "../core/agent/definition/agent-input";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { givenOptions, RunOptions, type RunOptionsInput } from "../core/agent/definition/run-options";
import {
  type AnyAgent,
  contextBySchema,
  type ReturnOf,
  type StepOf,
  stepBySchema,
} from "../core/agent/definition/typed-agent";
import type { Step } from "../core/agent/result/step";
import { contextOf, isStep } from "../core/agent/run/chain";
import { refusedContext } from "../core/agent/run/checks";
import { withToolSpecs } from "../core/agent/tools/with-specs";
import { readInput } from "../core/base/input/invalid-input";
import type { Json, JsonObject } from "../core/base/json";
import { asNavigatorError, valueOrThrow } from "../core/base/navigator-error";
import type { Documents } from "../core/calls/document";
import type { Price } from "../core/calls/host";
import type { EffectEntry } from "../core/effects/entry";
import type { JournalDecision } from "../core/journal/decision-input";
import { defaultJournal } from "../core/journal/given-journal";
import type { Decision, Review } from "../core/review/review";
import type { ChunkListeners } from "../models/listener";
import type { Model } from "../models/model";
import { createModels } from "../models/resolver";
import { parseScript, type Script, scriptedModel } from "../models/scripted";
import { memoryDocuments } from "../node/encoding/storage/memory-documents";
import type { ReceivedChunk } from "../simulate/chunk-recorder";
import type { EffectGuards } from "../simulate/effect-guards";
import type { SentMessage } from "../simulate/simulate-agent";
import type { AgentAndContext } from "../workflows/start/agent-input";
import { checkSendable } from "../workflows/start/sendable";
import { type Effect, Effects } from "./effects";
import type { Fault } from "./faults";
import { givenSpecs, playedTools, type ToolsGiven } from "./tools";

/** A mission in a test: what the agent is given, and how the world answers. */
export interface TestMission extends ToolsGiven {
  /**
   * What the model answers; `program(...)` makes a reply of a program. Docs: models.md, "scripted". Without one, the models
   * answer that the agent was defined with.
   */
  script?: Script;
  /**
   * The tools that may be called: those of defineTool, which are really run, maps of AI SDK tools, or by name anything that plays
   * one. Without it, the tool objects that the agent was defined with.
   */
  tools?: ToolsGiven["tools"];
  /** Instead of tools of that name. */
  replace?: ToolsGiven["replace"];
  /** Data, or the Step of an earlier run. */
  context?: JsonObject | Step;
  /** What is done already; `{}` when not given, null = no journal. One in the context is taken as startAgent does it. */
  journal?: JsonObject | null;
  /** As startAgent takes them. */
  options?: RunOptionsInput;
  /** Listeners as a worker knows them; the run's `chunks` list the chunks that they received. */
  onChunk?: ChunkListeners;
  /** The answers of people when they are asked, in that order. When there is none left, nobody answers. */
  reviews?: readonly TestVerdict[];
  /** What is decided while the mission is parked: one each time. When there is none left, nobody decides. */
  decisions?: readonly TestDecision[];
  /** What models cost: US dollars for a million tokens. */
  prices?: { [model: string]: Price };
  faults?: readonly Fault[];
  /**
   * What tools have as `call.documents`: `memoryDocuments()`, the default, new for each mission; null: none, as without
   * `largePayloads`.
   */
  documents?: Documents | null;
  /** In memory, missions with the same guards share the effects of tools with `identityScope: "namespace"`. */
  guards?: EffectGuards;
  /** Run id, with which idempotency keys begin: `agent/<id>~...`. */
  id?: string;
  /** Default `scripted`. */
  model?: string | string[];
}

/** A person's answer to a review, in the order in which reviews are asked. `by` defaults to "somebody". */
export type TestVerdict = Omit<Decision, "review" | "by"> & { by?: string };
/** What somebody records in the journal while the mission waits. `by` defaults to "somebody". */
export type TestDecision = Omit<JournalDecision, "by"> & { by?: string };

/** A mission of an agent: with schemas, its context has the type that they define. */
export type MissionOf<A extends AnyAgent> = Omit<TestMission, "context"> & Omit<AgentAndContext<A>, "agent">;

/** A run whose return may be of any type, as assertions take it. */
export type AnyMissionRun = Omit<MissionRun, "step"> & { step: Omit<Step, "return"> & { return: unknown } };

/** The outcome of a mission; the same from both hosts. With schemas, the return has the type that they define. */
export interface MissionRun<Return = Json> {
  step: StepOf<Return>;
  journal: JsonObject | null;
  /** As the model and people read it. */
  missionLog: string;
  /** The plan's checklist; "" without a plan. */
  progress: string;
  /** The effects of the tools, in order, each one once. */
  effects: Effect[];
  /**
   * What the mission itself knows of its effects: also what was refused, and what nobody knows. In the order of the calls;
   * calls of one moment in any order.
   */
  ledger: EffectEntry[];
  /** All that the models were sent, each message once. */
  messages: SentMessage[];
  /** What the mission asked people (not what agents asked that it ran as tools). */
  reviews: Review[];
  /** What listeners received of the answer, as it came. */
  chunks: ReceivedChunk[];
}

/** A mission that is ready to be run on either host. */
export interface ReadyMission {
  agent: AgentDefinition;
  effects: Effects;
  /** Answers for all models. */
  model(wait?: (ms: number) => Promise<void>): Model;
  given: Required<Pick<TestMission, "faults" | "prices" | "model" | "onChunk">>;
  reviewDecisions: Omit<Decision, "review">[];
  decisions: JournalDecision[];
  /** A parked mission waits; otherwise it ends there. */
  parks: boolean;
  options: RunOptions;
  context: JsonObject | Step;
  journal: JsonObject | null;
}

/** @throws NavigatorError `invalid_input`, `validation_error` as `startAgent` does, ModelError for a bad script, Error for tools that nobody plays. */
export function readyMission(given: AgentDefinition, mission: TestMission): ReadyMission {
  const { reviews = [], decisions = [], faults = [], prices = {}, model = "scripted", onChunk = {} } = mission;
  const { documents = memoryDocuments() } = mission;
  const tools = playedTools(given, mission);
  const options = valueOrThrow(readInput(RunOptions(), mission.options ?? {}, "invalid_input", "run options"));
  const ready: ReadyMission = {
    // What a stub does not know of a tool, the agent may.
    agent: withToolSpecs(given, givenSpecs(given, mission)),
    effects: new Effects(tools, faults, documents ?? undefined),
    model: answering(given, mission.script),
    given: { faults, prices, model, onChunk },
    reviewDecisions: reviews.map((decision) => ({ by: "somebody", ...decision })),
    decisions: decisions.map((decision) => ({ by: "somebody", ...decision })),
    parks: decisions.length > 0 || given.wait_timeout_ms !== null,
    options: givenOptions(options),
    context: mission.context ?? {},
    journal:
      mission.journal === undefined ? defaultJournal({ agent: given, context: dataOf(mission) }) : mission.journal,
  };
  const refusal = refusedContext(missionInput(ready));
  if (refusal) throw asNavigatorError(refusal);
  return ready;
}

/** @throws ModelError for a bad script, NavigatorError `already_exists`, Error when nothing can answer */
function answering(agent: AgentDefinition, given: Script | undefined): ReadyMission["model"] {
  if (given !== undefined) {
    const script = parseScript(given, "the script");
    return (wait) => scriptedModel(script, "the script", wait);
  }
  const models = createModels({ env: {}, agents: [agent] });
  if (models.own?.length === 0)
    throw new Error(
      "Nothing answers for the model: give a `script`, or an agent whose `model` is an object or a function.",
    );
  return () => ({ complete: async (call, options) => models.resolve(call.model).complete(call, options) });
}

const dataOf = ({ context = {} }: TestMission): JsonObject => (isStep(context) ? contextOf(context).context : context);

/** @throws NavigatorError `validation_error` for a context that does not fit the agent's schema, `invalid_input`, `payload_too_large` */
export function missionInput({ agent, context, journal, options, given }: ReadyMission): AgentInput {
  const chained = isStep(context) ? contextOf(context) : { context };
  const read = valueOrThrow(contextBySchema(agent, chained.context));
  checkSendable("the context", read, { exactIntegers: !isStep(context) });
  return { ...chained, context: read, llm_registry: {}, ...options, agent, journal, model: given.model };
}

/** The run as the agent's schema reads it. @throws NavigatorError `validation_error` for a return that does not fit */
export async function typedRun<A extends AnyAgent, R extends MissionRun>(
  agent: A,
  run: R,
): Promise<Omit<R, "step"> & MissionRun<ReturnOf<A>>> {
  return { ...run, step: valueOrThrow(await stepBySchema(agent, run.step)) };
}

/** A reply of the model: this program, as models write it. */
export const program = (source: string): string => `\`\`\`clojure\n${source}\n\`\`\``;
