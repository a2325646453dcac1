import { then } from "../../../src/core/agent/run/chain";
import { defineTool } from "../../../src/tools";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";

const openRig = sharedRigs();

/** Runs that hand something to each other, through the client and a real server. */
let rig: Rig;
afterEach(() => rig.stop());

const count = () =>
  agent({
    name: "count",
    signature: "(text :string) -> {words :int, _raw :string}",
    field_descriptions: { words: "how many there are" },
  });
const judge = () => agent({ name: "judge", prompt: "Is {{words}} much?", signature: "(words :int) -> {much :bool}" });

test("a Step is the context of the next run: its values, its labels, its descriptions", async () => {
  rig = await openRig({
    script: {
      count: [fenced('(return {:words (count (split data/text " ")) :_raw data/text})')],
      judge: [fenced("(return {:much (> data/words 3)})")],
    },
  });
  const first = await rig.client.startAgent({ agent: count(), context: { text: "one two" }, model: "scripted" });
  const step = await first.result();
  const second = await rig.client.startAgent({
    agent: judge(),
    context: step,
    model: "scripted",
    collect_messages: true,
  });
  const judged = await second.result();
  expect(judged.return).toEqual({ much: false });
  const [, opening] = judged.messages ?? [];
  expect(opening?.content).toMatch(/data\/words +; int, sample: 2 -- how many there are/);
  expect(opening?.content).toMatch(/data\/_raw +; string, \[Hidden\] \[Firewalled\]/);

  expect(then(step, judge())).toMatchObject({ ok: true });
  expect(then({ ...step, return: { other: 1 } }, judge())).toMatchObject({
    ok: false,
    fail: { reason: "chain_error", message: expect.stringContaining("words") },
  });
});

test("after a failed Step no model is called", async () => {
  rig = await openRig({ script: { count: [fenced('(fail {:reason :empty :message "no text"})')], judge: [] } });
  const first = await rig.client.startAgent({ agent: count(), context: { text: "" }, model: "scripted" });
  const second = await rig.client.startAgent({ agent: judge(), context: await first.result(), model: "scripted" });
  expect((await second.result()).fail).toMatchObject({
    reason: "chained_failure",
    message: "Upstream agent failed: empty",
    details: { upstream: { reason: "empty", message: "no text" } },
  });
});

test("a chat continues where it ended", async () => {
  rig = await openRig({
    script: [{ content: "Hello Anna." }, { if_contains: "What is my name", content: "Anna." }],
  });
  const clerk = agent({ name: "clerk", signature: "(x :any) -> :any", prompt: "Use {{x}}." });
  const hello = await rig.client.chat(clerk, "I am Anna, {{really}}.", { model: "scripted" });
  expect(hello.text).toBe("Hello Anna.");
  const name = await rig.client.chat(clerk, "What is my name?", { model: "scripted", messages: hello.messages });
  expect(name.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "I am Anna, {{really}}."],
    ["assistant", "Hello Anna."],
    ["user", "What is my name?"],
    ["assistant", "Anna."],
  ]);
});

test("bad run options are refused by name, before anything starts", async () => {
  rig = await openRig({});
  const bad = { agent: judge(), model: "scripted", token_limit: -1, budget: {}, colour: "red" };
  await expect(rig.client.startAgent(bad)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/token_limit must be.*budget must limit tokens.*"colour"/is),
  });
});

test("a chat remembers results of tools", async () => {
  const look = defineTool({ name: "look", signature: "(id :int) -> :int", run: ({ id }) => (id as number) * 10 });
  rig = await openRig({
    tools: [look],
    script: [
      { content: "You are welcome.", if_contains: "Thanks" },
      { content: "", tool_calls: [{ name: "look", args: { id: 4 } }] },
      { content: "Forty." },
    ],
  });
  const clerk = agent({ name: "clerk", tools: [look.spec] });
  const first = await rig.client.chat(clerk, "How much?", { model: "scripted" });
  expect(first.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  const second = await rig.client.chat(clerk, "Thanks!", { model: "scripted", messages: first.messages });
  expect(second.messages.slice(0, 4)).toEqual(first.messages);
  expect(second.text).toBe("You are welcome.");
});
