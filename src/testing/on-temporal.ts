import { randomUUID } from "node:crypto";
import { Context } from "@temporalio/activity";
import type { Client } from "@temporalio/client";
import type { NativeConnection, WorkerOptions } from "@temporalio/worker";
import { NavigatorClient } from "../client";
import type { Json } from "../core/json";
import type { Model } from "../models/model";
import { pause, scriptedModel } from "../models/scripted";
import type { SentCall } from "../simulate/memory-host";
import { type AgentScenario, type AgentSimulation, inputOf, noteOf, sentMessages } from "../simulate/simulate-agent";
import { makeStub, type ToolStub } from "../simulate/tool-stubs";
import { ToolRegistry } from "../tools";
import type { Tool } from "../tools/tool";
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
  const taskQueue = `simulate-${randomUUID()}`;
  const sent: SentCall[] = [];
  const model = listening(scriptedModel(scenario.model, "the scenario"), sent);
  const worker = await createWorker({
    connection: place.native,
    namespace: place.namespace,
    taskQueue,
    tools: new ToolRegistry(Object.entries(scenario.tools).map(([name, stub]) => stubTool(name, stub))),
    models: { resolve: () => model },
    ...(place.overrides === undefined ? {} : { overrides: place.overrides }),
  });
  const client = new NavigatorClient(place.temporal, taskQueue);
  return worker.runUntil(async () => {
    const { agent, journal, context: _, model: name, ...options } = inputOf(scenario);
    const run = await client.startAgent({
      ...(options as object),
      agent,
      context: scenario.context,
      journal,
      model: name,
      on_waiting: "return",
    });
    const step = await run.result();
    return { step, journal: step.journal, messages: sentMessages(sent), calls: sent.map(noteOf) };
  });
}

/** A model that notes what it is sent, and by which run. A call that is tried again is noted once. */
function listening(model: Model, sent: SentCall[]): Model {
  const runs: string[] = [];
  return {
    complete(call, options) {
      const { workflowExecution } = Context.current().info;
      const id = workflowExecution?.workflowId ?? "";
      if (!runs.includes(id)) runs.push(id);
      if ((call.attempt ?? 1) === 1) sent.push({ ...call, messages: [...call.messages], run: runs.indexOf(id) });
      return model.complete(call, options);
    },
  };
}

function stubTool(name: string, stub: ToolStub): Tool {
  const answer = makeStub(name, stub);
  return {
    spec: { name, effect: "write" },
    run: async (args, { signal }): Promise<Json> => {
      await pause(stub.delay_ms ?? 0, signal);
      const result = answer(args);
      if (!result.ok) throw new Error(result.fail.message);
      return result.value;
    },
  };
}
