import {
  CancellationScope,
  createNexusServiceClient,
  defineSignal,
  executeChild,
  isCancellation,
  setHandler,
  sleep,
} from "@temporalio/workflow";
import { z } from "zod";
import { defineAgent } from "../../../src/entries/agent";
import {
  navigatorService,
  type RunAgent,
  type RunPlan,
  type RunTask,
  runAgent,
  runPlan,
  runRemoteAgent,
  runTask,
} from "../../../src/entries/workflows";

/**
 * Somebody's workflows, which call Navigator. Their recorded histories are in test/histories/embedded: what these workflows
 * do must stay. What the compiler refuses is marked: each `@ts-expect-error` is an error of its own if nothing is wrong.
 */

export const clerk = defineAgent({
  name: "clerk",
  prompt: "Refund order {{order_id}}.",
  input: z.object({ order_id: z.int().positive(), note: z.string().default("none") }),
  output: z.object({ refunded: z.boolean(), cents: z.int().max(100) }),
});

/** The context and the return have the types of the schemas. */
export async function refund(order_id: number, id: string): Promise<{ cents: number; agent: string | null }> {
  const step = await runAgent(clerk, { id, context: { order_id }, model: "scripted" });
  if (step.fail !== null) return { cents: 0, agent: null };
  const cents: number = step.return.cents;
  // @ts-expect-error not in the schema
  step.return.tx;
  return { cents, agent: step.name };
}

/** What the compiler refuses is refused by the schema, too. */
export async function refundOfNothing(left: "order" | "type"): Promise<unknown> {
  // @ts-expect-error the context is missing
  if (left === "order") return runAgent(clerk, { model: "scripted" });
  // @ts-expect-error a number is needed
  return runAgent(clerk, { context: { order_id: "42" }, model: "scripted" });
}

/** Calls an agent without types, and does not wait for what it has told to go on. */
export async function ask(agent: string, options: RunAgent): Promise<unknown> {
  const step = runAgent(agent, options);
  return options.parentClosePolicy === "ABANDON" ? void (await sleep(1)) : (await step).return;
}

export const task = (options: RunTask): Promise<unknown> => runTask(options);

export const plan = (options: RunPlan): Promise<unknown> => runPlan(options);

/** A mission without our functions: whatever the input says is the caller's word. */
export const child = (type: string, input: unknown): Promise<unknown> => executeChild(type, { args: [input] });

const enough = defineSignal("enough");

/** What a call gives, or that it was given up. */
async function untilEnough<T>(call: () => Promise<T>): Promise<T | "given up"> {
  const scope = new CancellationScope();
  setHandler(enough, () => scope.cancel());
  try {
    return await scope.run(call);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return "given up";
  }
}

export const giveUp = (id: string): Promise<unknown> => untilEnough(() => runAgent("Wait.", { id, model: "scripted" }));

type Operation = keyof typeof navigatorService.operations;

/** One operation of the service, as any namespace calls it. */
export async function operation(endpoint: string, name: Operation, input: never): Promise<unknown> {
  return createNexusServiceClient({ service: navigatorService, endpoint }).executeOperation(name, input);
}

/** The same agent, which a worker of another namespace has. */
export async function remoteRefund(endpoint: string, order_id: number, id: string): Promise<unknown> {
  const step = await runRemoteAgent(endpoint, clerk, { id, context: { order_id }, model: "scripted" });
  if (step.fail !== null) return { failed: step.fail.reason };
  const cents: number = step.return.cents;
  return { cents, more: Object.keys(step).filter((field) => field.startsWith("effects")) };
}

/** An agent is named: its definition stays with the worker that has it. */
export async function remoteDefinition(endpoint: string): Promise<unknown> {
  const navigator = createNexusServiceClient({ service: navigatorService, endpoint });
  // @ts-expect-error a name is needed
  return navigator.executeOperation("runAgent", { agent: clerk, context: { order_id: 42 } });
}

export const giveUpRemote = (endpoint: string, id: string): Promise<unknown> =>
  untilEnough(() => runRemoteAgent(endpoint, clerk, { id, context: { order_id: 13 }, model: "scripted" }));
