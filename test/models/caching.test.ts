import type { Message } from "../../src/core/calls/host";
import { createModels, type ModelCall } from "../../src/models";
import { Loopback } from "./loopback";
import { type Told, WIRES, type Wire, wireOf } from "./wire";

/** What goes over the wire besides the conversation: marks of what to cache, and what a model wants back. */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const signal = new AbortController().signal;
const TOOLS = [{ name: "look", description: "Looks", parameters: { type: "object", properties: {} } }];
const MISSION_LOG = "## Mission Log (Completed Tasks)\n- [done] a: 1";

async function ask(wire: Wire, call: Partial<ModelCall>, reply: Parameters<Wire["reply"]>[0] = { text: "ok" }) {
  loopback.reset({ body: wire.reply(reply) });
  return createModels({ env: wire.env(loopback.url) })
    .resolve(wire.model)
    .complete(
      { model: "x", agent: "a", turn: 1, call: 1, system: "S", messages: [], tool_names: [], ...call },
      { signal },
    );
}

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

/** The texts that end at a mark. */
function marked(): string[] {
  const { system, messages, tools = [] } = loopback.seen[0]?.body ?? {};
  const parts = [...tools, ...system, ...messages.flatMap(({ content }: { content: unknown[] }) => content)];
  return parts.filter((part) => part.cache_control).map((part) => part.text ?? part.content);
}

describe("cache marks for Anthropic", () => {
  const wire = wireOf("anthropic");

  test.each([
    { it: "nothing without the hint", call: { messages: [user("Begin.")] }, marks: [] },
    {
      it: "system and message of a first turn",
      call: { cache: true, messages: [user("Begin.")] },
      marks: ["S", "Begin."],
    },
    {
      it: "the end of the call before, and the end of this one",
      call: { cache: true, turn: 3, messages: [user("1"), said("a"), user("2"), said("b"), user("3")] },
      marks: ["S", "2", "3"],
    },
    {
      it: "the system prompt up to the Mission Log, which grows",
      call: { cache: true, system: `S\n\n${MISSION_LOG}`, messages: [user("Begin.")] },
      marks: ["S\n\n", "Begin."],
    },
    {
      it: "no message of a conversation that is told anew on each turn",
      call: { cache: true, turn: 4, messages: [user("All so far: ...")] },
      marks: ["S"],
    },
    {
      it: "the last result of several calls, and what came before them",
      call: {
        cache: true,
        turn: 2,
        tools: TOOLS,
        messages: [
          user("Begin."),
          { role: "assistant", content: "", tool_calls: ["a", "b"].map((id) => ({ id, name: "look", args: {} })) },
          { role: "tool", content: "1", tool_call_id: "a", tool_name: "look" },
          { role: "tool", content: "2", tool_call_id: "b", tool_name: "look" },
        ],
      },
      marks: ["S", "Begin.", "2"],
    },
  ] as { it: string; call: Partial<ModelCall>; marks: string[] }[])("$it", async ({ call, marks }) => {
    await ask(wire, call);
    expect(marked()).toEqual(marks);
    const told = wire.told(loopback.seen[0]?.body)[0];
    expect(told).toEqual({ system: call.system ?? "S" });
  });
});

test.each(WIRES.filter(({ model }) => !model.startsWith("anthropic")))("$model caches by itself", async (wire) => {
  const system = `S\n\n${MISSION_LOG}`;
  await ask(wire, { cache: true, system, messages: [user("Begin.")] });
  expect(JSON.stringify(loopback.seen[0]?.body)).not.toContain("cache_control");
  expect(wire.told(loopback.seen[0]?.body)).toEqual([{ system }, { user: "Begin." }]);
});

test.each(WIRES.filter(({ model }) => !model.startsWith("anthropic")))(
  "$model gets users' messages in a row as one, also where an empty reply stood between them",
  async (wire) => {
    const news: Message = { ...user("## Mission Log (New Records)\n- [done] a: 1"), log_news: true };
    await ask(wire, { messages: [user("Begin."), said("a"), news, said(""), user("Your reply was empty."), news] });
    const both = `${news.content}\n\nYour reply was empty.\n\n${news.content}`;
    expect(wire.told(loopback.seen[0]?.body)).toEqual([
      { system: "S" },
      { user: "Begin." },
      { assistant: "a" },
      { user: both },
    ]);
  },
);

describe("provider data that a model requires with its calls", () => {
  const cases: { provider: string; reply: Parameters<Wire["reply"]>[0]; comesBack: Told[] }[] = [
    {
      provider: "anthropic",
      reply: { thought: "Let me think.", text: "I look.", calls: [{ id: "c1", name: "look", args: {} }] },
      comesBack: [
        { thought: "Let me think.", signature: "signed" },
        { assistant: "I look." },
        { call: "look", id: "c1", args: {} },
      ],
    },
    {
      provider: "google",
      reply: { text: "I look.", calls: [{ id: "c1", name: "look", args: {}, signature: "signed" }] },
      comesBack: [{ assistant: "I look." }, { call: "look", id: "c1", args: {}, signature: "signed" }],
    },
    {
      provider: "openai-compatible",
      reply: { thought: "Let me think.", calls: [{ id: "c1", name: "look", args: {} }] },
      comesBack: [{ thought: "Let me think." }, { call: "look", id: "c1", args: {} }],
    },
  ];

  const secondCall = (reply: Awaited<ReturnType<typeof ask>>): Partial<ModelCall> => {
    const { content, tool_calls = [], replay } = reply;
    const calls = tool_calls.map((call, i) => ({ ...call, id: call.id ?? `tc_${i}` }));
    return {
      tools: TOOLS,
      turn: 2,
      messages: [
        user("Begin."),
        { role: "assistant", content, tool_calls: calls, ...(replay ? { replay } : {}) },
        ...calls.map(({ id }): Message => ({ role: "tool", content: "1", tool_call_id: id, tool_name: "look" })),
      ],
    };
  };

  test.each(cases)("$provider", async ({ provider, reply, comesBack }) => {
    const wire = wireOf(provider);
    const first = await ask(wire, { tools: TOOLS }, reply);
    expect(first.replay).toBeDefined();
    await ask(wire, secondCall(first));
    expect(wire.told(loopback.seen[0]?.body).slice(2, -1)).toEqual(comesBack);
  });

  test("another model does not get it", async () => {
    const [anthropic, google] = [wireOf("anthropic"), wireOf("google")];
    const first = await ask(google, { tools: TOOLS }, cases[1]?.reply);
    await ask(anthropic, secondCall(first));
    expect(JSON.stringify(loopback.seen[0]?.body)).not.toContain("signed");
    expect(anthropic.told(loopback.seen[0]?.body)).toContainEqual({ call: "look", id: "c1", args: {} });
  });

  test("thoughts over 64 KiB are dropped, because every turn would contain them", async () => {
    const thought = "x".repeat(66_000);
    const calls = [{ id: "c1", name: "look", args: {} }];
    expect((await ask(wireOf("anthropic"), { tools: TOOLS }, { thought, calls })).replay).toBeUndefined();
  });

  test("a reply without thoughts leaves nothing", async () => {
    const calls = [{ id: "c1", name: "look", args: {} }];
    for (const wire of WIRES) expect((await ask(wire, { tools: TOOLS }, { calls })).replay).toBeUndefined();
  });
});
