import { Worker } from "@temporalio/worker";
import { defineTool } from "../../src/tools";
import { agent, fenced, openRig } from "../support/rig";
import { until } from "../support/until";

/** What waits for long is not in the memory of its worker (docs/decisions/0065). */
test("a mission that waits for a person leaves the memory, one whose call is at work stays, and the first goes on from its history", async () => {
  const run = jest.spyOn(Worker.prototype, "run");
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = defineTool({ name: "slow", effect: "write", run: () => finished.then(() => 1) });
  const pay = defineTool({
    name: "pay",
    signature: "(cents :int) -> :int",
    effect: "write",
    approval: { assignees: ["anna"] },
    run: ({ cents }) => Number(cents),
  });
  const rig = await openRig({
    tools: [slow, pay],
    script: {
      working: [fenced("(return (tool/slow {}))")],
      parked: [fenced('(return (task "paid" (tool/pay {:cents 7})))')],
    },
  });
  try {
    const worker = run.mock.contexts.at(-1) as Worker;
    const cached = () => worker.getStatus().numCachedWorkflows;
    const start = (name: string, tools: string[]) =>
      rig.client.startAgent({ agent: agent({ name, tools }), model: "scripted" });
    const working = await start("working", ["slow"]);
    const parked = await start("parked", ["pay"]);
    const isOpen = async () => (await parked.reviews()).find(({ status }) => status === "open");
    const { id } = await until(isOpen, "the review opens");
    expect(cached()).toBe(2);
    const events = async () => (await parked.workflow.fetchHistory()).events?.length;
    const before = await events();
    // The one at work began first: if it were evicted, it would be by now.
    await until(async () => cached() < 2, "the mission that waits is evicted");
    expect(cached()).toBe(1);
    expect(await events()).toBe(before);
    await parked.decide({ review: id, choice: "approve", by: "anna" });
    expect(await parked.result()).toMatchObject({ fail: null, return: 7 });
    finish();
    expect(await working.result()).toMatchObject({ fail: null, return: 1 });
  } finally {
    finish();
    await rig.stop();
  }
});
