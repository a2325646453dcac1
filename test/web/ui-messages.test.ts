import { randomUUID } from "node:crypto";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { createModels, type Model } from "../../src/models";
import { gate } from "../support/gate";
import type { Answer } from "../support/mcp/client";
import { agent, fenced } from "../support/rig";
import { CHAT_AGENTS, payTool, slowModel } from "../support/web/chat-agents";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** The UI message stream of the AI SDK, read by its own reader. */

let control: MissionControl;

const paid: number[] = [];

let middle = gate();

const slow = slowModel(() => middle.opened);

/** Says what it was told before. */
const echo: Model = {
  complete: async ({ messages }) => ({
    content: messages.map(({ role, content }) => `${role}: ${content}`).join("\n"),
  }),
};

const pay = payTool((cents) => paid.push(cents));

const agents = {
  ...CHAT_AGENTS,
  echo: agent({ name: "echo", output: "text", model: "test/echo" }),
};

beforeAll(async () => {
  control = await openMissionControl({
    name: "shop",
    page: false,
    tools: [pay],
    project: { agents },
    models: createModels({
      env: {},
      models: { "test/slow": slow, "test/echo": echo },
      script: {
        flaky: [
          { chunks: ["Half of ", "an answer."], error: { class: "server_error", message: "broken off", times: 1 } },
        ],
        payer: [
          { content: "I pay now.", tool_calls: [{ id: "c1", name: "pay", args: { cents: 700 } }] },
          { chunks: ["It is ", "done."] },
        ],
        adder: [fenced("(return {:sum (+ data/a data/b)})")],
        failing: [{ error: { class: "client_error", message: "no such luck" } }],
      },
    }),
  });
});
afterAll(async () => {
  await control?.stop();
});

const transport = (name: string) =>
  new DefaultChatTransport<UIMessage>({
    api: `${control.url}/api/chat/${name}`,
    headers: { authorization: `Bearer ${control.token}` },
  });

const said = (text: string): UIMessage => ({ id: randomUUID(), role: "user", parts: [{ type: "text", text }] });

async function read(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  for await (const message of readUIMessageStream({ stream, onError: (error) => errors.push(error) })) last = message;
  if (errors.length > 0) throw errors[0];
  return last as UIMessage;
}

async function send(
  name: string,
  messages: UIMessage[],
  chatId = randomUUID(),
  body: object = {},
  trigger = "submit-message",
) {
  const request = {
    chatId,
    messages,
    trigger: trigger as "submit-message",
    messageId: undefined,
    abortSignal: undefined,
    body,
  };
  return transport(name).sendMessages(request);
}

const textOf = ({ parts }: UIMessage): string =>
  parts
    .flatMap((part: Answer) => (part.type === "text" && !part.providerMetadata?.navigator?.retried ? [part.text] : []))
    .join("");

test("an agent answers with the conversation before it, without what did not count", async () => {
  const before: UIMessage[] = [
    said("One."),
    {
      id: "a1",
      role: "assistant",
      parts: [
        { type: "text", text: "dropped", providerMetadata: { navigator: { retried: true } } },
        { type: "text", text: "Two." },
      ],
    },
  ];
  const chat = randomUUID();
  const three = said("Three.");
  const answer = await read(await send("echo", [...before, three], chat));
  expect(textOf(answer)).toBe("user: One.\nassistant: Two.\nuser: Three.");
  const workflow_id = answer.id;
  expect(answer.metadata).toEqual({ workflow_id });

  // The same message once more is the same mission; to regenerate it is another one.
  expect((await read(await send("echo", [...before, three], chat))).id).toBe(workflow_id);
  const again = await read(await send("echo", [...before, three], chat, {}, "regenerate-message"));
  expect([textOf(again), again.id]).toEqual([textOf(answer), `${workflow_id}-2`]);
});

test("what an attempt said that failed is marked, and the rest is the answer", async () => {
  const answer = await read(await send("flaky", [said("Tell me.")]));
  expect(textOf(answer)).toBe("Half of an answer.");
  const [dropped, marked, whole] = answer.parts as Answer[];
  expect(dropped).toMatchObject({ type: "text", providerMetadata: { navigator: { retried: true } } });
  expect(marked).toMatchObject({ type: "data-retried", data: { text: dropped.text, attempt: 1, call: 1 } });
  expect(whole).toMatchObject({ type: "text", text: "Half of an answer.", state: "done" });
});

test("a reader that is cut off goes on with the whole message; where nothing runs there is nothing to go on with", async () => {
  middle = gate();
  const chatId = randomUUID();
  const reader = (await send("slow", [said("Speak.")], chatId)).getReader();
  const types: string[] = [];
  while (!types.includes("text-delta")) types.push(((await reader.read()).value as UIMessageChunk).type);
  await reader.cancel();
  await control.stopWeb();
  await control.startWeb();
  // A connection that the old server has closed may be tried first: a front tries again.
  const rejoin = () => transport("slow").reconnectToStream({ chatId });
  const stream = await rejoin().catch(rejoin);
  middle.open();
  expect(textOf(await read(stream as ReadableStream<UIMessageChunk>))).toBe("The first half, and the second.");
  expect(await transport("slow").reconnectToStream({ chatId: "unknown" })).toBeNull();
});

test("an agent that says programs shows them as its reasoning, and answers with what it returns", async () => {
  const answer = await read(await send("adder", [said("two and three")], randomUUID(), { context: { a: 2, b: 3 } }));
  expect(answer.parts.map(({ type }) => type)).toEqual(["reasoning", "text"]);
  expect(JSON.parse(textOf(answer))).toEqual({ sum: 5 });
});

test("a mission that fails is an error with its code", async () => {
  await expect(read(await send("failing", [said("Try.")]))).rejects.toThrow(/llm_error: .*no such luck/);
});

test("a chat with nobody, and one without a message, are refused", async () => {
  await expect(send("nobody", [said("Hello?")])).rejects.toThrow(/agent_not_found/);
  await expect(send("echo", [])).rejects.toThrow(/invalid_input/);
});
