import type { AgentHandle } from "../client/handles";
import type { Json, JsonObject } from "../core/base/json";
import type { EffectLookup, Price } from "../core/calls/host";
import type { Decision } from "../core/review/review";
import type { ChunkListeners } from "../models/listener";
import type { Model } from "../models/model";
import { scriptedModel } from "../models/scripted";
import { delay } from "../node/delay";
import { keepingChunks, namedListeners, type ReceivedChunk } from "../simulate/chunk-recorder";
import type { SentCall } from "../simulate/memory-host";
import type { AgentScenario } from "../simulate/simulate-agent";
import { makeStub, type ToolStub } from "../simulate/tool-stubs";
import { type ToolContext, type UndoContext, unknown } from "../tools";
import { faultyModel } from "./faults";
import type { ReadyMission } from "./mission";

/** The tools of one run, by name. */
export interface ScenePlayers {
  tools: readonly string[];
  callTool(name: string, args: JsonObject, context: ToolContext): Promise<Json>;
  lookUpEffect(name: string, key: string, args: JsonObject, context: ToolContext): Promise<EffectLookup>;
  undoEffect(name: string, args: JsonObject, result: Json, context: UndoContext): Promise<Json>;
}

/** The world of one run: it answers the calls of the worker. Tools are called by name. */
export interface Scene extends ScenePlayers {
  /** @param workflowId of the run that asks: the root's, or one below it */
  complete(workflowId: string, ...asked: Parameters<Model["complete"]>): ReturnType<Model["complete"]>;
  prices: { [model: string]: Price };
  onChunk: ChunkListeners;
  /** The chunks that they received. */
  chunks: ReceivedChunk[];
  /** What the models were asked. */
  sent: SentCall[];
}

/** Builds the scene of a scenario: its scripted model, stubs and listeners. */
export function sceneOfScenario(scenario: AgentScenario): Scene {
  return {
    ...recorded(scriptedModel(scenario.model, "the scenario")),
    ...stubbed(scenario.tools),
    ...keepingChunks(namedListeners(scenario.listeners)),
    prices: scenario.prices as Scene["prices"],
  };
}

/** Tools that answer by rule. */
export function stubbed(tools: { [name: string]: ToolStub }): ScenePlayers {
  const stubs = new Map(Object.entries(tools).map(([name, stub]) => [name, makeStub(name, stub)]));
  return {
    tools: [...stubs.keys()],
    callTool: async (name, args, { signal }) => {
      await delay(tools[name]?.delay_ms ?? 0, signal);
      const result = stubs.get(name)?.(args);
      if (!result) throw new Error(`nothing answers for tool ${name} here`);
      if (!result.ok) throw new Error(result.fail.message);
      return result.value;
    },
    lookUpEffect: async () => unknown,
    undoEffect: async (name) => {
      throw new Error(`tool ${name} of a scenario takes nothing back`);
    },
  };
}

/** Builds the scene of a mission of `simulateAgent`: its model, tools and effects. */
export function sceneOfMission({ effects, model, given }: ReadyMission): Scene {
  return {
    ...recorded(faultyModel(model(), given.faults)),
    tools: [...effects.tools.keys()],
    callTool: (name, args, context) => effects.runSlowly(name, args, context),
    lookUpEffect: (...asked) => effects.lookUp(...asked),
    undoEffect: (...asked) => effects.undo(...asked),
    ...keepingChunks(given.onChunk),
    prices: given.prices,
  };
}

/** A model that records its calls, with the calling run. A retried call is recorded once. */
function recorded(model: Model): Pick<Scene, "complete" | "sent"> {
  const sent: SentCall[] = [];
  const runs: string[] = [];
  return {
    sent,
    complete(id, call, options) {
      if (!runs.includes(id)) runs.push(id);
      if ((call.attempt ?? 1) === 1) sent.push({ ...call, messages: [...call.messages], run: runs.indexOf(id) });
      return model.complete(call, options);
    },
  };
}

/** Gives the decisions of people as the reviews open. */
export interface Deciders {
  /** Resolves when nothing runs any more: the connection may then be closed. */
  stop(): Promise<void>;
  /** Rejects if a decision is refused, or a review is open that nobody will ever decide. */
  stuck: Promise<never>;
}

/** Sends the given decisions to the reviews of a run, in the order in which they open. */
export function decideAll(run: AgentHandle, decisions: readonly Omit<Decision, "review">[]): Deciders {
  const left = [...decisions];
  let stopped = false;
  let rejectWith: (error: Error) => void = () => {};
  const stuck = new Promise<never>((_, reject) => {
    rejectWith = reject;
  });
  // A caller that does not wait for it gets no error.
  stuck.catch(() => {});
  const work = async () => {
    while (!stopped) {
      // Without decisions there is no hurry: it polls slowly, to notice a review that waits in vain.
      await new Promise((resolve) => setTimeout(resolve, left.length > 0 ? 20 : 250));
      // The run may be over already, when nobody answered in time; its Step shows it.
      const review = (await run.reviews().catch(() => [])).find(({ status }) => status === "open");
      if (stopped || !review) continue;
      const decision = left.shift();
      if (decision) await run.decide({ ...decision, review: review.id }).catch(rejectWith);
      else if (review.expiresAt === undefined)
        rejectWith(new Error(`Nobody decides "${review.title}" here: give the decision in \`reviews\`.`));
    }
  };
  const working = work();
  return {
    stuck,
    stop: () => {
      stopped = true;
      return working;
    },
  };
}
