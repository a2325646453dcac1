import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { WorkflowNotFoundError } from "@temporalio/client";
import type { NavigatorClient } from "../../../src/client/client";
import type { TaskHandle } from "../../../src/client/handles";
import { parseDefinition } from "../../../src/core/graph/definition/parse";
import type { Definition } from "../../../src/core/graph/definition/schema";
import { newTask } from "../../../src/core/graph/task/task";
import type { Review } from "../../../src/core/review/review";
import type { Script } from "../../../src/models";
import { defineTool, type Tool } from "../../../src/tools";
import { keyOf } from "../../support/effect-keys";
import { agent, fenced } from "../../support/rig";
import { until } from "../../support/until";

/** The order example with its outside world inside the test: the same graph, tools that count what they did. */
export interface Shop {
  tools: Tool[];
  /** Every call, in order. */
  calls: { tool: string; key: string }[];
  keysOf(tool: string): string[];
  /** The key of the only call of a tool for the order, at a step of the task. */
  keyAt(task: string, step: string, tool: string): string;
  /** Makes the next `times` calls of a tool fail. */
  breakTool(tool: string, times: number): void;
}

export function openShop(): Shop {
  const calls: Shop["calls"] = [];
  const broken = new Map<string, number>();
  const effect = (name: string, signature: string, answer: object): Tool =>
    defineTool({
      name,
      signature,
      run: (_args, call) => {
        calls.push({ tool: name, key: call.idempotencyKey });
        const left = broken.get(name) ?? 0;
        if (left === 0) return answer;
        broken.set(name, left - 1);
        throw new Error(`${name} is out of order`);
      },
    });
  const tools = [
    effect("charge_card", "(order_id :int) -> {tx :string}", { tx: "tx_1" }),
    effect("send_receipt", "(order_id :int) -> {mail :string}", { mail: "anna@example.com" }),
    effect("ship_item", "(order_id :int) -> {parcel :string}", { parcel: "LX1" }),
    effect("refund_card", "(order_id :int) -> {refund :string}", { refund: "re_1" }),
  ];
  return {
    calls,
    keyAt: (task, lane, tool) => {
      const { spec } = tools.find((one) => one.spec.name === tool) as Tool;
      return keyOf(task, spec, { order_id: 42 }, { lane });
    },
    keysOf: (tool) => calls.filter((call) => call.tool === tool).map((call) => call.key),
    breakTool: (tool, times) => void broken.set(tool, times),
    tools,
  };
}

const step = (id: string, tool: string) => `(task "${id}" (tool/${tool} {:order_id data/order_id}))`;
const GIVE_UP = fenced('(return {:outcome "failed"})');

/** Each agent does its work in one turn; what fails there ends the attempt in the second. */
export const SCRIPT: Script = {
  charge: [
    fenced(
      `(do ${step("charge_order", "charge_card")} ${step("receipt_order", "send_receipt")} (return {:outcome "passed"}))`,
    ),
    GIVE_UP,
  ],
  ship: [fenced(`(do ${step("ship_order", "ship_item")} (return {:outcome "passed"}))`), GIVE_UP],
  odd: [fenced(`(do ${step("ship_order", "ship_item")} (return {:outcome "sideways"}))`)],
  refund: [fenced(`(do ${step("refund_order", "refund_card")} (return {:outcome "passed"}))`), GIVE_UP],
};

export function orderAgents(shop: Shop) {
  const specs = shop.tools.map((tool) => tool.spec);
  const make = (name: string) =>
    agent({ name, signature: "(order_id :int) -> {outcome :string}", tools: specs, max_turns: 3 });
  return { charge: make("charge"), ship: make("ship"), refund: make("refund"), odd: make("odd") };
}

/** The example's own graph. */
export function orderGraph(): Definition {
  const file = path.join(__dirname, "../../../examples/order/order-fulfilment.json");
  return definitionOf(JSON.parse(readFileSync(file, "utf8")));
}

/** A definition that must be sound. */
export function definitionOf(raw: unknown): Definition {
  const parsed = parseDefinition(raw as never);
  if (!parsed.ok) throw new Error(`${parsed.fail.message} ${JSON.stringify(parsed.fail.details)}`);
  return parsed.value.definition;
}

export interface Start {
  id?: string;
  definition?: Definition;
  /** No agents: every node is driven from outside. */
  shop?: Shop;
}

export async function startOrder(
  client: NavigatorClient,
  { id = randomUUID(), definition = orderGraph(), shop }: Start,
): Promise<TaskHandle> {
  const task = newTask(
    { id, issueId: "issue-42", workflowType: definition.id ?? "graph", context: { order_id: 42 } },
    definition,
    Date.now(),
  );
  const handle = await client.startTask({ task, definition, agents: shop ? orderAgents(shop) : {}, model: "scripted" });
  started.add(handle.workflow.workflowId);
  return handle;
}

const started = new Set<string>();

/** Ends what a test left waiting: tasks that nobody serves any more slow down everyone who lists them. */
export async function endOrders(client: NavigatorClient): Promise<void> {
  for (const id of started)
    await client.temporal.workflow
      .getHandle(id)
      .terminate("the test is over")
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  started.clear();
}

/** The open review at a step, once it is there. */
export function reviewAt(handle: TaskHandle, at: string): Promise<Review> {
  return until(
    async () => (await handle.reviews()).find((review) => review.status === "open" && review.data.step === at),
    `a review opens at ${at}`,
  );
}

/** `from>result` of each step that was left, in order. */
export const wayOf = (task: { history: { step: string; result: string | null }[] }): string[] =>
  task.history.map((entry) => `${entry.step}>${entry.result ?? ""}`);
