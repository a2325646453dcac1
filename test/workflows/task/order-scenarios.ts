import { randomUUID } from "node:crypto";
import type { TaskHandle } from "../../../src/client/handles";
import type { Tool } from "../../../src/tools";
import type { Scenario } from "../../support/scenarios";
import { openShop, reviewAt, SCRIPT, type Shop, startOrder } from "./order-graph";

/** The order graph's ways to its ends, each with tools of its own: the task and all its children. */
export function orderScenarios(): (Scenario & { tools: Tool[] })[] {
  return [
    way("order-released", (task) => decide(task, "approval", "passed")),
    way("order-refused", (task) => decide(task, "approval", "failed")),
    way(
      "order-retried",
      (task) => decide(task, "approval", "passed"),
      (shop) => shop.breakTool("send_receipt", 1),
    ),
    way(
      "order-stuck-and-sent-back",
      async (task) => {
        await decide(task, "stuck", "send back to charge");
        await decide(task, "approval", "passed");
      },
      (shop) => shop.breakTool("send_receipt", 3),
    ),
    way(
      "order-closed",
      (task) => decide(task, "stuck", "close"),
      (shop) => shop.breakTool("send_receipt", 3),
    ),
  ];
}

function way(name: string, people: (task: TaskHandle) => Promise<void>, breaks: (shop: Shop) => void = () => {}) {
  const shop = openShop();
  breaks(shop);
  const run: Scenario["run"] = async (rig) => {
    const task = await startOrder(rig.client, { id: randomUUID(), shop });
    await people(task);
    const ended = await task.result();
    const id = task.workflow.workflowId;
    const attempts = new Map<string, number>();
    const children = ended.history
      .filter(({ step }) => ["charge", "ship", "refund"].includes(step))
      .map(({ step }) => {
        attempts.set(step, (attempts.get(step) ?? 0) + 1);
        return `${id}/${step}/${attempts.get(step)}`;
      });
    return [id, ...children];
  };
  return { name, script: SCRIPT, tools: shop.tools, run };
}

const decide = async (task: TaskHandle, step: string, choice: string): Promise<void> => {
  const review = await reviewAt(task, step);
  await task.decide({ review: review.id, choice, by: "anna" });
};
