import { signDecision } from "../../../src/node/identity/sign-decision";
import { defineTool } from "../../../src/tools";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";

/** Names under which nobody decides a call that can be taken back, where people are known and unsigned decisions are taken. */
let rig: Rig;
afterEach(() => rig.stop());

const anna = newKey();
const people = peopleOf({
  people: { anna: { keys: [publicKey(anna)] }, ben: {} },
  groups: { finance: { members: ["anna"], lead: "ben" }, legal: { members: ["ben"] } },
});

test.each<{ what: string; by: string[]; assignees?: string[] }>([
  { what: "the word of a group", by: ["group:finance"], assignees: ["group:finance"] },
  { what: "the word of a lead", by: ["lead:finance"], assignees: ["lead:finance", "group:finance"] },
  {
    what: "the words of two groups",
    by: ["group:finance", "group:legal"],
    assignees: ["group:finance", "group:legal"],
  },
  { what: "a name with a character that nobody sees", by: ["anna\u0000", "an\u0007na"] },
])("$what decides nothing, by update or by signal", async ({ by, assignees }) => {
  const pay = defineTool({
    name: "pay",
    signature: "(cents :int) -> :map",
    effect: "write",
    approval: assignees === undefined ? true : { assignees },
    run: (args) => args,
  });
  const script = [fenced('(return (task "pay_1" (tool/pay {:cents 7})))')];
  rig = await openRig({ tools: [pay], script, people: () => people });
  const run = await rig.client.startAgent({ agent: agent({ tools: [pay.spec] }), model: "scripted" });
  const isOpen = async () => (await run.reviews()).find(({ status }) => status === "open");
  const { id: review, seal } = await until(isOpen, "the review opens");
  for (const [i, name] of by.entries()) {
    const said = { review, choice: "approve", by: name };
    await expect(run.decide(said)).rejects.toMatchObject({ code: "invalid_input", details: { path: "by" } });
    await run.signalDecide(said);
    await until(async () => (await run.status()).refused_signals === i + 1, "the signal is counted");
  }
  expect(await isOpen()).toBeDefined();
  await run.decide(
    await signDecision({ review, choice: "approve", by: "anna", ...(seal === undefined ? {} : { seal }) }, anna),
  );
  expect((await run.result()).return).toEqual({ cents: 7 });
});
