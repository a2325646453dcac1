import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ script: { saver: [{ content: fenced("(return 1)"), tokens: { input: 50, output: 10 } }] } });
});
afterAll(() => rig?.stop());

test("a top-up that adds nothing is refused, and the question stays open for one that does", async () => {
  const run = await rig.client.startAgent({
    agent: agent({ name: "saver", prompt: "Save.", max_turns: 1 }),
    model: "scripted",
    budget: { tokens: 10 },
  });
  await until(async () => (await run.reviews()).length === 1, "it asks for more");
  const [review] = await run.reviews();
  const decide = (value: object) =>
    run.decide({ review: review?.id ?? "", choice: "top_up", by: "anna", value: value as never });
  for (const value of [{ tokens: -5 }, { tokens: 0 }, {}])
    await expect(decide(value)).rejects.toMatchObject({ code: "invalid_decision", details: { path: "value" } });
  expect(await run.reviews()).toMatchObject([{ status: "open" }]);
  expect(await decide({ tokens: 100_000 })).toMatchObject({ status: "decided" });
  expect(await run.result()).toMatchObject({ return: 1 });
});
