import { defineTool } from "../../../src/tools";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** A decision goes into the history several times: one that is too long would end its run, whoever has sent it. */
let rig: Rig | undefined;
afterEach(() => rig?.stop());

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :map",
  effect: "write",
  approval: { assignees: ["anna"] },
  run: (args) => args,
});

const SCRIPT = [fenced('(return (task "pay_1" (tool/pay {:cents 7})))')];

async function asked({ client }: Rig) {
  const run = await client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
  const isOpen = async () => (await run.reviews()).find(({ status }) => status === "open");
  return { run, id: (await until(isOpen, "the review opens")).id };
}

test.each([
  {
    what: "name",
    change: { by: "x".repeat(201) },
    longest: {},
    says: "decision.by has 201 characters; the limit is 200",
    recording: "decision-with-a-long-name",
  },
  {
    what: "note",
    change: { note: "x".repeat(16_001) },
    longest: { note: "x".repeat(16_000) },
    says: "decision.note has 16001 characters; the limit is 16000",
  },
  { what: "choice", change: { choice: "x".repeat(2_001) }, longest: {}, says: "decision.choice has 2001 characters" },
])("a $what that is too long is refused by update, counted by signal, and the mission goes on", async (one) => {
  rig = await openRig({ tools: [pay], script: SCRIPT });
  const { run, id } = await asked(rig);
  const decision = { review: id, choice: "approve", by: "anna", ...one.change };
  await expect(run.decide(decision)).rejects.toMatchObject({
    code: "invalid_decision",
    message: expect.stringContaining(one.says),
  });
  await run.signalDecide(decision);
  await until(async () => (await run.status()).refused_signals === 1, "the signal is counted");
  await run.decide({ review: id, choice: "approve", by: "anna", ...one.longest });
  expect((await run.result()).return).toEqual({ cents: 7 });
  const history = (await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory;
  if (one.recording === undefined) await replay(history);
  else await replayAndKeep(one.recording, [history]);
});

test("a flood of names as long as a message can be does not end the mission", async () => {
  rig = await openRig({ tools: [pay], script: [fenced('(return (task "pay_1" (tool/pay {:cents 7})))')] });
  const run = await rig.client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
  const { id } = await until(
    async () => (await run.reviews()).find(({ status }) => status === "open"),
    "the review opens",
  );
  for (let sent = 0; sent < 3; sent++)
    await run.workflow.signal("decide", {
      review: id,
      choice: "approve",
      by: "x".repeat(1_300_000),
      signature: "a..b",
    });
  await until(async () => (await run.status()).refused_signals === 3, "the signals are counted");
  await run.decide({ review: id, choice: "approve", by: "anna" });
  expect((await run.result()).return).toEqual({ cents: 7 });
});
