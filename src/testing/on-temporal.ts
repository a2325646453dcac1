import { randomUUID } from "node:crypto";
import { Context } from "@temporalio/activity";
import type { Client } from "@temporalio/client";
import type { NativeConnection, Worker, WorkerOptions } from "@temporalio/worker";
import { type AgentHandle, NavigatorClient } from "../client";
import type { Price } from "../core/agent/price";
import { givenOptions } from "../core/agent/run-options";
import type { Json, JsonObject } from "../core/json";
import type { Decision } from "../core/review/review";
import type { Model } from "../models/model";
import { pause, scriptedModel } from "../models/scripted";
import type { SentCall } from "../simulate/memory-host";
import { type AgentScenario, type AgentSimulation, noteOf, sentMessages } from "../simulate/simulate-agent";
import { makeStub } from "../simulate/tool-stubs";
import { ToolRegistry } from "../tools";
import type { Tool, ToolContext } from "../tools/tool";
import { createWorker } from "../worker";

/** Where a scenario is run for real. */
export interface TemporalPlace {
  temporal: Client;
  native: NativeConnection;
  namespace: string;
  overrides?: Partial<WorkerOptions>;
}

/** The same as `simulateAgent`, on a Temporal server with a worker of its own: both must answer the same. */
export async function simulateOnTemporal(scenario: AgentScenario, place: TemporalPlace): Promise<AgentSimulation> {
  const stage = await TemporalStage.open(place);
  try {
    return await stage.run(scenario);
  } finally {
    await stage.close();
  }
}

/** What belongs to one scenario of those that share a worker. */
interface Scene {
  model: Model;
  tools: Map<string, (args: JsonObject, context: ToolContext) => Promise<Json>>;
  sent: SentCall[];
  prices: { [model: string]: Price };
}

/** One worker for any number of scenarios, one after another or side by side. */
export class TemporalStage {
  private readonly scenes = new Map<string, Scene>();
  private readonly client: NavigatorClient;
  private worker?: Worker;
  private running?: Promise<void>;

  private constructor(
    place: TemporalPlace,
    taskQueue: string,
    private readonly tools: ToolRegistry,
  ) {
    this.client = new NavigatorClient(place.temporal, taskQueue);
  }

  static async open(place: TemporalPlace): Promise<TemporalStage> {
    const taskQueue = `simulate-${randomUUID()}`;
    const tools = new ToolRegistry();
    const stage = new TemporalStage(place, taskQueue, tools);
    stage.worker = await createWorker({
      connection: place.native,
      namespace: place.namespace,
      taskQueue,
      tools,
      models: {
        resolve: () => ({ complete: (call, options) => stage.here().model.complete(call, options) }),
        price: (name) => stage.here().prices[name],
      },
      ...(place.overrides === undefined ? {} : { overrides: place.overrides }),
    });
    stage.running = stage.worker.run();
    return stage;
  }

  async run(scenario: AgentScenario): Promise<AgentSimulation> {
    const id = randomUUID();
    const scene = sceneOf(scenario);
    this.scenes.set(id, scene);
    for (const name of scene.tools.keys()) if (!this.tools.get(name)) this.tools.add(this.tool(name));
    const run = await this.client.startAgent({
      ...givenOptions(scenario.options),
      id,
      agent: scenario.agent,
      context: scenario.context,
      journal: scenario.journal,
      model: scenario.llm ?? "",
      on_waiting: "return",
    });
    const decider = decideAll(run, scenario.reviews as Omit<Decision, "review">[]);
    const step = await run.result().finally(() => decider.stop());
    this.scenes.delete(id);
    const { sent } = scene;
    return { step, journal: step.journal, messages: sentMessages(sent), calls: sent.map(noteOf) };
  }

  async close(): Promise<void> {
    this.worker?.shutdown();
    await this.running;
  }

  /** The scenario whose activity this is: children have their root's id in theirs. */
  private here(): Scene {
    const scene = this.scenes.get(workflowId().split("/")[1] ?? "");
    if (!scene) throw new Error(`no scenario runs as ${workflowId()}`);
    return scene;
  }

  private tool(name: string): Tool {
    return {
      spec: { name, effect: "write" },
      run: (args, context) => {
        const answer = this.here().tools.get(name);
        if (!answer) throw new Error(`nothing answers for tool ${name} here`);
        return answer(args, context);
      },
    };
  }
}

const workflowId = (): string => Context.current().info.workflowExecution?.workflowId ?? "";

function sceneOf(scenario: AgentScenario): Scene {
  const sent: SentCall[] = [];
  const tools = Object.entries(scenario.tools).map(([name, stub]) => {
    const answer = makeStub(name, stub);
    const run = async (args: JsonObject, { signal }: ToolContext): Promise<Json> => {
      await pause(stub.delay_ms ?? 0, signal);
      const result = answer(args);
      if (!result.ok) throw new Error(result.fail.message);
      return result.value;
    };
    return [name, run] as const;
  });
  return {
    model: listening(scriptedModel(scenario.model, "the scenario"), sent),
    tools: new Map(tools),
    sent,
    prices: scenario.prices as Scene["prices"],
  };
}

/** Takes the scripted decisions as the reviews open. */
function decideAll(run: AgentHandle, verdicts: readonly Omit<Decision, "review">[]): { stop(): Promise<void> } {
  const left = [...verdicts];
  let stopped = false;
  const work = async () => {
    while (!stopped && left.length > 0) {
      const review = (await run.reviews()).find(({ status }) => status === "open");
      if (review) await run.decide({ ...(left.shift() as Omit<Decision, "review">), review: review.id });
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  // The run is over by itself when nobody answers in time; what went wrong here is then told by its Step.
  const working = work().catch(() => {});
  return {
    // Not before its last question is answered: the worker is still there.
    stop: () => {
      stopped = true;
      return working;
    },
  };
}

/** A model that notes what it is sent, and by which run. A call that is tried again is noted once. */
function listening(model: Model, sent: SentCall[]): Model {
  const runs: string[] = [];
  return {
    complete(call, options) {
      const id = workflowId();
      if (!runs.includes(id)) runs.push(id);
      if ((call.attempt ?? 1) === 1) sent.push({ ...call, messages: [...call.messages], run: runs.indexOf(id) });
      return model.complete(call, options);
    },
  };
}
