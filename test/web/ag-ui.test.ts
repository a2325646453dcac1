import { randomUUID } from "node:crypto";
import { type BaseEvent, EventType, HttpAgent, type Interrupt, type Message } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { z } from "zod";
import { createModels } from "../../src/models";
import { defineTool } from "../../src/tools";
import { gate } from "../support/gate";
import type { Answer } from "../support/mcp/client";
import { agent, fenced } from "../support/rig";
import { CHAT_AGENTS, payTool, slowModel } from "../support/web/chat-agents";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";
import { whereOf } from "../support/where-of";

/** AG-UI 1.0, heard with its own client against a whole Mission Control. */

let control: MissionControl;
let paid: number[] = [];
/** What the slow model waits for between its two pieces. */
let middle = gate();

const slow = slowModel(() => middle.opened);

const pay = payTool((cents) => paid.push(cents));

const look = defineTool({ name: "look", input: z.object({ at: z.string() }), run: ({ at }) => ({ seen: at }) });

const agents = {
  ...CHAT_AGENTS,
  guide: agent({ name: "guide", output: "text", system_prompt: "You guide." }),
  looker: agent({ name: "looker", output: "text", tools: ["look"], max_turns: 4 }),
  parked: agent({ name: "parked", prompt: "Wait." }),
};

beforeAll(async () => {
  control = await openMissionControl({
    name: "shop",
    page: false,
    tools: [pay, look],
    project: { agents },
    models: createModels({
      env: {},
      models: { "test/slow": slow },
      script: {
        guide: [{ chunks: ["Go ", "left, ", "then right."] }],
        flaky: [
          { chunks: ["Half of ", "an answer."], error: { class: "server_error", message: "broken off", times: 1 } },
        ],
        payer: [
          { content: "I pay now.", tool_calls: [{ id: "c1", name: "pay", args: { cents: 700 } }] },
          { chunks: ["It is ", "done."] },
        ],
        adder: [fenced("(return {:sum (+ data/a data/b)})")],
        looker: [
          { content: "I look.", tool_calls: [{ id: "c1", name: "look", args: { at: "a" } }] },
          { content: "", tool_calls: [{ id: "c2", name: "look", args: { at: "b" } }] },
          "Seen.",
        ],
        parked: [
          {
            if_contains: "[done] paid",
            content: fenced('(return {:status "done" :value (task "paid" nil)})'),
          },
          fenced('(return {:status "waiting" :for "a payment"})'),
        ],
        failing: [{ error: { class: "client_error", message: "no such luck" } }],
      },
    }),
  });
});
afterAll(() => control?.stop());

/** A front: the client of AG-UI, with every event that it was sent. */
function front(name: string, threadId: string = randomUUID()) {
  const http = new HttpAgent({
    url: `${control.url}/api/ag-ui/${name}`,
    headers: { authorization: `Bearer ${control.token}` },
    threadId,
  });
  const events: BaseEvent[] = [];
  http.subscribe({
    onEvent: ({ event }) => {
      // Every event is one of the protocol, and has nothing that its schema does not have.
      EventSchema.parse(event);
      events.push(event);
    },
  });
  const say = (content: string) => http.addMessage({ id: randomUUID(), role: "user", content });
  return { http, events, say };
}

const typesOf = (events: BaseEvent[]): string[] => events.map(({ type }) => type);
const textOf = (messages: Message[]): (string | undefined)[] =>
  messages
    .filter(({ role, content }) => role === "assistant" && content !== undefined)
    .map(({ content }) => String(content));
const customs = (events: BaseEvent[], name: string): Answer[] =>
  events
    .filter((event: Answer) => event.type === EventType.CUSTOM && event.name === name)
    .map((event: Answer) => event.value);

test("a text agent answers word by word, and the same run once more adds nothing", async () => {
  const { http, events, say } = front("guide");
  say("Which way?");
  const runId = randomUUID();
  const { newMessages } = await http.runAgent({ runId });
  expect(textOf(newMessages)).toEqual(["Go left, then right."]);
  expect(typesOf(events)).toEqual([
    ...["RUN_STARTED", "CUSTOM", "TEXT_MESSAGE_START"],
    ...typesOf(events).filter((type) => type === "TEXT_MESSAGE_CONTENT"),
    ...["TEXT_MESSAGE_END", "RUN_FINISHED"],
  ]);
  const [{ workflow_id }] = customs(events, "navigator.mission");
  expect(workflow_id).toMatch(new RegExp(`agent/${runId}$`));
  await http.runAgent({ runId });
  expect(textOf(http.messages)).toEqual(["Go left, then right."]);
});

test("what an attempt said that failed is taken away from the front, and marked", async () => {
  const { http, events, say } = front("flaky");
  say("Tell me.");
  await http.runAgent();
  expect(textOf(http.messages)).toEqual(["Half of an answer."]);
  expect(customs(events, "navigator.retried")).toMatchObject([{ text: "Half of an answer.", attempt: 1 }]);
  expect(typesOf(events)).toContain("MESSAGES_SNAPSHOT");
});

test("a front that is cut off, and a server that is restarted, lose no word and hear none twice", async () => {
  middle = gate();
  const { http, events, say } = front("slow");
  say("Speak.");
  const runId = randomUUID();
  const heard = gate();
  const { unsubscribe } = http.subscribe({ onTextMessageContentEvent: () => heard.open() });
  const first = http.runAgent({ runId }).catch(() => {});
  await heard.opened;
  unsubscribe();
  http.abortRun();
  await first;
  expect(textOf(http.messages)).toEqual(["The first half, "]);
  await control.stopWeb();
  await control.startWeb();
  const known = events.length;
  middle.open();
  // A connection that the old server has closed may be tried first: a front tries again.
  jest.spyOn(console, "error").mockImplementation(() => {});
  await http.runAgent({ runId }).catch(() => http.runAgent({ runId }));
  jest.restoreAllMocks();
  expect(textOf(http.messages)).toEqual(["The first half, and the second."]);
  const more = events.slice(known);
  // An attempt that is lost with its worker is taken away from the front, and the next one says all of it.
  const lost = more.findLastIndex((event) => customs([event], "navigator.retried").length > 0);
  const deltas = more
    .slice(lost + 1)
    .map((event: Answer) => (event.type === EventType.TEXT_MESSAGE_CONTENT ? event.delta : ""));
  expect(deltas.join("")).toBe(lost === -1 ? "and the second." : "The first half, and the second.");
});

async function askedToPay() {
  paid = [];
  const one = front("payer");
  one.say("Pay the bill.");
  await one.http.runAgent();
  const [interrupt] = one.http.pendingInterrupts as [Interrupt];
  return { ...one, interrupt };
}

test("a call that people approve interrupts the run, and the answer of the front is the decision", async () => {
  const { http, events, interrupt } = await askedToPay();
  expect(http.pendingInterrupts).toHaveLength(1);
  expect(interrupt).toMatchObject({ reason: "approval", metadata: { choices: ["approve", "reject"] } });
  expect(interrupt.message).toContain("Call pay?");
  expect(interrupt.responseSchema).toMatchObject({ required: ["choice"] });
  expect(paid).toEqual([]);
  const known = events.length;
  const resume = [
    {
      interruptId: interrupt.id,
      status: "resolved" as const,
      payload: { choice: "approve", value: { cents: 500 }, note: "less", by: "ada" },
    },
  ];
  await http.runAgent({ resume });
  expect(paid).toEqual([500]);
  expect(textOf(http.messages)).toEqual(["I pay now.", "It is done."]);
  const [asked] = http.messages.flatMap((one: Answer) => one.toolCalls ?? []);
  expect(asked).toMatchObject({ id: interrupt.toolCallId, function: { name: "pay", arguments: '{"cents":700}' } });
  const [result] = http.messages.filter(({ role }) => role === "tool");
  expect(result).toMatchObject({ toolCallId: interrupt.toolCallId, content: expect.stringContaining("r-500") });
  // What the front had was not sent again.
  expect(typesOf(events.slice(known)).filter((type) => type === "TOOL_CALL_START")).toEqual([]);
  expect(http.pendingInterrupts).toEqual([]);

  const { review } = interrupt.metadata as { review: string };
  const card = await control.get(`/api/inbox/${encodeURIComponent(review)}`);
  expect(card.review).toMatchObject({ status: "decided", decision: { choice: "approve", by: "ada", via: "http" } });
});

test("the calls of a turn are those of its message, and of no message before", async () => {
  const { http, say } = front("looker");
  say("Look twice.");
  await http.runAgent();
  const calls = http.messages.map((one: Answer) => [one.role, one.content ?? "", (one.toolCalls ?? []).length]);
  expect(calls).toEqual([
    ...[
      ["user", "Look twice.", 0],
      ["assistant", "I look.", 1],
      ["tool", '{\n  "seen": "a"\n}', 0],
    ],
    ...[
      ["assistant", "", 1],
      ["tool", '{\n  "seen": "b"\n}', 0],
      ["assistant", "Seen.", 0],
    ],
  ]);
});

test("a call that is rejected ends as one that was not made", async () => {
  const { http, interrupt } = await askedToPay();
  await http.runAgent({ resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: false } }] });
  expect(paid).toEqual([]);
  expect(textOf(http.messages)).toEqual(["I pay now.", "It is done."]);
  expect(http.messages.filter(({ role }) => role === "tool")).toMatchObject([
    { content: expect.stringContaining("not made") },
  ]);
});

test("a question that the front gives up stays open for others", async () => {
  const { http, events, interrupt } = await askedToPay();
  await http.runAgent({ resume: [{ interruptId: interrupt.id, status: "cancelled" }] });
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  const { review } = interrupt.metadata as { review: string };
  expect((await control.get(`/api/inbox/${encodeURIComponent(review)}`)).review.status).toBe("open");
});

test("what a decision did not see is not decided by it", async () => {
  const { interrupt } = await askedToPay();
  const { http } = front("payer");
  // The client writes down what went wrong.
  jest.spyOn(console, "error").mockImplementation(() => {});
  http.pendingInterrupts = [{ ...interrupt, id: interrupt.id.replace(/#.*$/, "#another") }];
  const [{ id }] = http.pendingInterrupts as [Interrupt];
  await expect(
    http.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { choice: "approve" } }] }),
  ).rejects.toThrow(/seal_mismatch/);
  jest.restoreAllMocks();
  expect(paid).toEqual([]);
});

test("a mission that waits for a record in its journal is gone on with by the answer of the front", async () => {
  const { http } = front("parked");
  await http.runAgent({ forwardedProps: { context: {} } });
  const [interrupt] = http.pendingInterrupts as [Interrupt];
  expect(interrupt).toMatchObject({ reason: "parked", responseSchema: { required: ["id", "value"] } });
  const payload = { id: "paid", value: 7, by: "ada" };
  const { result } = await http.runAgent({ resume: [{ interruptId: interrupt.id, status: "resolved", payload }] });
  expect(result).toEqual({ status: "done", value: 7 });
});

test("an agent that says programs shows them as its reasoning, and answers with what it returns", async () => {
  const { http, events } = front("adder");
  const { result } = await http.runAgent({ forwardedProps: { context: { a: 2, b: 3 } } });
  expect(result).toEqual({ sum: 5 });
  expect(http.messages.map(({ role }) => role)).toEqual(["reasoning", "assistant"]);
  expect(JSON.parse(textOf(http.messages)[0] as string)).toEqual({ sum: 5 });
  expect(typesOf(events)).toContain("REASONING_MESSAGE_CONTENT");
});

test("a mission that fails ends the run with its code", async () => {
  const { http, events, say } = front("failing");
  say("Try.");
  await http.runAgent().catch(() => {});
  expect(events.at(-1)).toMatchObject({
    type: "RUN_ERROR",
    code: "llm_error",
    message: expect.stringContaining("no such luck"),
  });
});

test.each([
  ["nobody", { runId: "r", threadId: "t", messages: [] }, 404, "agent_not_found"],
  ["guide", { runId: "r", threadId: "t", messages: [] }, 400, "invalid_input messages"],
  ["guide", { threadId: "t", messages: "none" }, 400, "invalid_input runId"],
  ["guide", { runId: "a/b", threadId: "t", messages: [{ id: "1", role: "user", content: "x" }] }, 400, "invalid_id"],
  [
    "adder",
    { runId: "r", threadId: "t", messages: [{ id: "1", role: "user", content: "two and two" }] },
    400,
    "invalid_input context",
  ],
])("a run of %s with %j is refused", async (name, body, status, where) => {
  const response = await control.fetch(`/api/ag-ui/${name}`, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(status);
  expect(whereOf((await response.json()) as object)).toBe(where);
});
