import { randomUUID } from "node:crypto";
import { type Message, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { defined } from "../../src/core/base/defined";
import type { Json } from "../../src/core/base/json";
import { createModels } from "../../src/models";
import { gate } from "../support/gate";
import { agent, fenced } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { CHAT_AGENTS, payTool, slowModel } from "../support/web/chat-agents";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";
import { whereOf } from "../support/where-of";

/** A2A 1.0, spoken by the client of its official SDK with a whole Mission Control (web reference, section 14). */

const serviceKey = newKey();
const people = peopleOf({
  people: { ada: {}, bob: {} },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});

let control: MissionControl;
let paid: number[] = [];
let middle = gate();
/** The agents of another organization. */
let buyer: Client;
let seller: Client;
/** A person of the project. */
let ada: Client;

beforeAll(async () => {
  control = await openMissionControl({
    name: "shop",
    page: false,
    people: () => people,
    serviceKey,
    tools: [payTool((cents) => paid.push(cents))],
    project: {
      agents: {
        ...CHAT_AGENTS,
        asker: agent({ name: "asker", prompt: "Ask.", builtin_tools: ["ask"], output: "ptc_lisp", max_turns: 2 }),
        parked: agent({ name: "parked", prompt: "Wait." }),
        guide: agent({ name: "guide", output: "text", description: "Shows the way", system_prompt: "You guide." }),
      },
    },
    models: createModels({
      env: {},
      models: { "test/slow": slowModel(() => middle.opened) },
      script: {
        guide: [{ if_contains: "Which way?", content: "Left." }, "Left, as I said."],
        adder: [fenced("(return {:sum (+ data/a data/b)})")],
        payer: [
          { content: "I pay now.", tool_calls: [{ id: "c1", name: "pay", args: { cents: 700 } }] },
          "It is done.",
        ],
        asker: [
          fenced(
            '(let [first (tool/ask-person {:question "Which colour?" :choices ["answer"]}) second (tool/ask-person {:question "Which size?" :choices ["answer"]})] (return (str (:value first) "/" (:value second))))',
          ),
        ],
        parked: [
          { if_contains: "[done] paid", content: fenced('(return {:status "done" :value (task "paid" nil)})') },
          fenced('(return {:status "waiting" :for "a payment"})'),
        ],
        failing: [{ error: { class: "client_error", message: "no such luck" } }],
      },
    }),
  });
  [buyer, seller, ada] = await Promise.all([
    clientOf(control.service("buyer")),
    clientOf(control.service("seller"), "HTTP+JSON"),
    clientOf(control.person("ada")),
  ]);
});
afterAll(() => control?.stop());

const withToken =
  (token: string): typeof fetch =>
  (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };

/** A client as an application makes it: from the address alone. */
function clientOf(token: string, binding: "JSONRPC" | "HTTP+JSON" = "JSONRPC", path?: string): Promise<Client> {
  const fetchImpl = withToken(token);
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(control.url, path);
}

interface Said {
  skill?: string;
  text?: string;
  data?: Json;
  messageId?: string;
  taskId?: string;
  contextId?: string;
  /** Default: the answer comes at once. */
  waits?: true;
}

const saying = ({ skill, text, data, messageId = randomUUID(), taskId = "", contextId = "", waits }: Said) => ({
  tenant: "",
  metadata: undefined,
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: waits !== true,
  },
  message: {
    ...{ messageId, taskId, contextId, role: Role.ROLE_USER, extensions: [], referenceTaskIds: [] },
    metadata: skill === undefined ? undefined : { skill },
    parts: [
      ...(text === undefined ? [] : [part({ $case: "text" as const, value: text })]),
      ...(data === undefined ? [] : [part({ $case: "data" as const, value: data })]),
    ],
  },
});

const part = <C>(content: C) => ({ content, metadata: undefined, filename: "", mediaType: "" });

/** Says it, and waits for what comes of it. */
const ask = async (client: Client, said: Said): Promise<Task> =>
  (await client.sendMessage(saying({ waits: true, ...said }))) as Task;

const answerOf = (task: Task): unknown => task.artifacts[0]?.parts[0]?.content?.value;
const textsOf = (message: Message | undefined): string =>
  (message?.parts ?? []).flatMap(({ content }) => (content?.$case === "text" ? [content.value] : [])).join("\n");
const dataOf = (message: Message | undefined): Record<string, unknown> =>
  message?.parts.find(({ content }) => content?.$case === "data")?.content?.value as Record<string, unknown>;
const stateOf = ({ status }: Pick<Task, "status">): string => TaskState[status?.state ?? -1] ?? "";
const get = (client: Client, id: string, historyLength?: number): Promise<Task> =>
  client.getTask({ tenant: "", id, ...defined({ historyLength }) });

/** The error that a request ends with: its name, and our code. */
type Metadata = { [field: string]: string };

async function refusal(work: Promise<unknown>): Promise<[name: string, where: string]> {
  const error = await work.then(
    () => new Error("nothing was refused"),
    (one: Error) => one,
  );
  // The client keeps what an error was told with as it came over its binding.
  const { metadata, data } = error as { metadata?: Metadata; data?: { metadata?: Metadata }[] };
  const { code, ...details } = metadata ?? data?.[0]?.metadata ?? {};
  return [error.name, whereOf({ code, details })];
}

/** An event in one word. */
const shortOf = ({ payload }: StreamResponse): string => {
  if (payload?.$case === "task") return `task ${stateOf(payload.value)}`;
  if (payload?.$case === "statusUpdate") return stateOf(payload.value);
  if (payload?.$case !== "artifactUpdate") return String(payload?.$case);
  const { artifact, append, lastChunk } = payload.value;
  const content = artifact?.parts[0]?.content;
  return `${append ? "+" : "="}${JSON.stringify(content?.value)}${lastChunk ? "." : ""}`;
};

async function heard(stream: AsyncGenerator<StreamResponse>, onEach: (short: string) => void = () => {}) {
  const all: string[] = [];
  for await (const event of stream) {
    all.push(shortOf(event));
    onEach(all.at(-1) as string);
  }
  return all;
}

test("the card names the agents as skills; how they are called is told to those who are let in", async () => {
  const open = await (await fetch(`${control.url}/.well-known/agent-card.json`)).json();
  expect(open).toMatchObject({
    name: "shop",
    supportedInterfaces: [
      { url: `${control.url}/api/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      {},
      {},
    ],
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
  });
  const skills = (open as { skills: { id: string; description: string }[] }).skills;
  expect(skills).toContainEqual(expect.objectContaining({ id: "guide", description: "Shows the way" }));
  expect(JSON.stringify(open)).not.toContain("sum");
  const { skills: told } = await buyer.getAgentCard();
  expect(told.find(({ id }) => id === "adder")).toMatchObject({
    examples: ['{"a":1,"b":1}'],
    description: expect.stringContaining('"sum":{"type":"integer"}'),
  });
  const stranger = await clientOf("nobody");
  await expect(stranger.listTasks(listing({}))).rejects.toThrow();
  const asked = await fetch(`${control.url}/api/a2a`, { method: "POST", body: "{}" });
  expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
});

test.each([
  ["JSON-RPC", () => buyer],
  ["HTTP+JSON", () => seller],
])("over %s a message starts a mission once, and its task has what the mission returns", async (_, client) => {
  const said = { skill: "adder", data: { a: 2, b: 3 }, messageId: randomUUID() };
  const task = await ask(client(), said);
  expect([stateOf(task), answerOf(task)]).toEqual(["TASK_STATE_COMPLETED", { sum: 5 }]);
  expect(task.metadata).toEqual({ skill: "adder" });
  expect(task.history).toMatchObject([
    { messageId: said.messageId, role: Role.ROLE_USER, parts: [{ content: { value: { a: 2, b: 3 } } }] },
  ]);
  const [again, known] = await Promise.all([ask(client(), said), get(client(), task.id, 0)]);
  expect(again).toEqual(task);
  expect(known).toEqual({ ...task, history: [] });
  const { missions } = await control.get(
    `/api/missions?text=${encodeURIComponent(said.messageId)}`,
    control.person("ada"),
  );
  expect(missions).toMatchObject([{ workflow_id: `shop:agent/${task.id}` }]);
  expect(await heard(client().sendMessageStream(saying(said)))).toEqual(["task TASK_STATE_COMPLETED"]);
});

test.each<[string, Said, Said]>([
  ["other data", { skill: "adder", data: { a: 2, b: 3 } }, { skill: "adder", data: { a: 2, b: 4 } }],
  ["another skill", { skill: "adder", data: { a: 2, b: 3 } }, { skill: "guide", text: "Hi" }],
  ["another text of a conversation", { skill: "guide", text: "Hello" }, { skill: "guide", text: "Bye" }],
])("a message with the id of one that said %s is refused and starts nothing", async (_, first, other) => {
  const messageId = randomUUID();
  const task = await ask(buyer, { ...first, messageId });
  for (const client of [buyer, await clientOf(control.service("buyer"), "HTTP+JSON")])
    expect(await refusal(ask(client, { ...other, messageId }))).toEqual(["RequestMalformedError", "id_in_use"]);
  expect((await ask(buyer, { ...first, messageId })).id).toBe(task.id);
});

test("a mission that fails is a failed task with its code", async () => {
  const task = await ask(buyer, { skill: "failing", text: "Do." });
  expect(stateOf(task)).toBe("TASK_STATE_FAILED");
  expect(dataOf(task.status?.message)).toMatchObject({
    code: "llm_error",
    message: expect.stringContaining("no such luck"),
  });
});

const text = (value: string) => part({ $case: "text" as const, value });

test.each([
  ["no skill", { text: "Hello" }, ["RequestMalformedError", "invalid_input metadata.skill"]],
  ["an unknown skill", { skill: "cook", text: "Hello" }, ["RequestMalformedError", "agent_not_found"]],
  ["input of another type", { skill: "adder", data: { a: "x", b: 1 } }, ["RequestMalformedError", "validation_error"]],
  [
    "a text that is no input",
    { skill: "adder", text: "two and three" },
    ["RequestMalformedError", "invalid_input context"],
  ],
  [
    "an id of a context with blanks",
    { skill: "guide", text: "Hi", contextId: "a b" },
    ["RequestMalformedError", "invalid_id"],
  ],
  ["no part", { skill: "guide" }, ["RequestMalformedError", "invalid_input message.parts"]],
  ["an unknown task", { taskId: "a2a~0~x~y", text: "Hi" }, ["TaskNotFoundError", "not_found run a2a~0~x~y"]],
] as const)("a message with %s is refused before anything starts", async (_, said, expected) => {
  for (const client of [buyer, seller]) expect(await refusal(ask(client, said as Said))).toEqual(expected);
});

test("a path that is no UTF-8 is refused as a mistake of the client", async () => {
  const headers = { authorization: `Bearer ${control.service("buyer")}`, "a2a-version": "1.0" };
  const { status } = await fetch(`${control.url}/api/a2a/tasks/%E0`, { headers });
  expect(status).toBe(400);
});

test("files and unknown media types are refused as content", async () => {
  const file = saying({ skill: "guide" });
  const raw = { ...part({ $case: "raw" as const, value: Buffer.from("x") }), mediaType: "image/png" };
  const html = { ...text("<p>"), mediaType: "text/html" };
  for (const one of [raw, html])
    expect(await refusal(buyer.sendMessage({ ...file, message: { ...file.message, parts: [one] } }))).toEqual([
      "ContentTypeNotSupportedError",
      "invalid_input message.parts[0]",
    ]);
});

test("a conversation goes on in its context, and a new context knows nothing of it", async () => {
  const first = await ask(buyer, { skill: "guide", text: "Which way?" });
  const second = await ask(buyer, { skill: "guide", text: "Sure?", contextId: first.contextId });
  expect([answerOf(first), answerOf(second)]).toEqual(["Left.", "Left, as I said."]);
  const sheet = await control.get(`/api/runs/${encodeURIComponent(`agent/${second.id}`)}/turns`, control.person("ada"));
  expect(JSON.stringify(sheet)).toContain("as I said");
  const { messages } = (await control.client.agent(second.id).result()) as unknown as {
    messages: { content: string }[];
  };
  expect(messages.map(({ content }) => content).slice(-4)).toEqual([
    "Which way?",
    "Left.",
    "Sure?",
    "Left, as I said.",
  ]);
  // The conversation of somebody else is not there, and neither is a task that nobody has begun.
  for (const other of [second.id, `${second.id.slice(0, -3)}xyz`]) {
    const said = saying({ skill: "guide", text: "What was said?", contextId: first.contextId });
    expect(
      await refusal(seller.sendMessage({ ...said, message: { ...said.message, referenceTaskIds: [other] } })),
    ).toEqual(["TaskNotFoundError", expect.stringMatching(/^not_found run /)]);
  }
  const listed = await buyer.listTasks(listing({ contextId: first.contextId }));
  expect(listed.tasks.map(({ id }) => id)).toEqual([second.id, first.id]);
});

test("a stream is heard while the agent speaks, and goes on after a lost connection and a restarted server", async () => {
  middle = gate();
  const said = saying({ skill: "slow", text: "Speak." });
  const stream = buyer.sendMessageStream(said);
  const begun: string[] = [];
  for await (const event of stream) {
    begun.push(shortOf(event));
    if (begun.length === 2) break;
  }
  expect(begun).toEqual(["task TASK_STATE_WORKING", '="The first half, "']);
  // The mission goes on, and nobody is told any more.
  await until(async () => {
    const metrics = await (await control.fetch("/metrics")).text();
    return /^navigator_event_readers(\{.*\})? 0$/m.test(metrics);
  }, "the reader has gone");
  await control.stopWeb();
  await control.startWeb();
  const { tasks } = await until(async () => {
    const page = await buyer.listTasks(listing({ status: TaskState.TASK_STATE_WORKING })).catch(() => null);
    return page?.tasks.length === 1 ? page : undefined;
  }, "the task is listed");
  const [{ id }] = tasks as [Task];
  const again = heard(buyer.resubscribeTask({ tenant: "", id }), (short) => {
    if (short.startsWith("=")) middle.open();
  });
  const all = await again;
  expect(all[0]).toBe("task TASK_STATE_WORKING");
  expect(all.slice(-2)).toEqual(['="The first half, and the second.".', "TASK_STATE_COMPLETED"]);
  expect(all).toContain('="The first half, "');
  expect(await refusal(heard(buyer.resubscribeTask({ tenant: "", id })))).toEqual([
    "UnsupportedOperationError",
    "invalid_input id",
  ]);
});

test("a call that people approve is a task that needs input, which an agent may not give and a person may", async () => {
  paid = [];
  const sent = saying({ skill: "payer", text: "Pay." });
  const events = await heard(buyer.sendMessageStream(sent));
  expect(events.at(-1)).toBe("TASK_STATE_INPUT_REQUIRED");
  const task = (await buyer.sendMessage(sent)) as Task;
  const { id } = task;
  expect(textsOf(task.status?.message)).toContain("Call pay?");
  expect(dataOf(task.status?.message)).toMatchObject({
    kind: "approval",
    choices: ["approve", "reject"],
    may_answer: ["anyone"],
  });
  expect(await refusal(ask(buyer, { taskId: id, text: "approve" }))).toEqual([
    "UnsupportedOperationError",
    "agents_may_not_decide",
  ]);
  expect(await refusal(ask(seller, { taskId: id, text: "approve" }))).toEqual([
    "TaskNotFoundError",
    `not_found run ${id}`,
  ]);
  expect(await refusal(ask(ada, { taskId: id, text: "perhaps" }))).toEqual([
    "RequestMalformedError",
    "invalid_decision choice",
  ]);
  expect(await refusal(ask(ada, { taskId: id, contextId: "other", text: "approve" }))).toEqual([
    "RequestMalformedError",
    "invalid_input contextId",
  ]);
  expect(paid).toEqual([]);
  const { seal = "", answer: schema } = dataOf(task.status?.message) as { seal?: string; answer?: unknown };
  // Whoever reads how to answer finds what the answer must have.
  expect(schema).toMatchObject({ required: ["choice", "seal"], properties: { seal: { const: seal } } });
  const approval = { choice: "approve", value: { cents: 500 }, seal };
  for (const said of [{ text: "approve" }, { data: { choice: "approve" } }])
    expect(await refusal(ask(ada, { taskId: id, ...said }))).toEqual([
      "RequestMalformedError",
      expect.stringMatching(/^invalid_decision /),
    ]);
  expect(await refusal(ask(ada, { taskId: id, data: { ...approval, seal: "other" } }))).toEqual([
    "UnsupportedOperationError",
    "seal_mismatch",
  ]);
  expect(await refusal(ask(ada, { taskId: id, data: { ...approval, note: "x".repeat(16_001) } }))).toEqual([
    "RequestMalformedError",
    "invalid_decision note",
  ]);
  const follower = heard(buyer.resubscribeTask({ tenant: "", id }));
  const said = { taskId: id, data: approval, messageId: task.history[0]?.messageId ?? "" };
  const done = await ask(ada, said);
  expect([stateOf(done), answerOf(done), paid]).toEqual(["TASK_STATE_COMPLETED", "It is done.", [500]]);
  expect((await follower).at(-1)).toBe("TASK_STATE_COMPLETED");
  // The answer may have been lost: the same message again repeats nothing.
  expect(stateOf(await ask(ada, said))).toBe("TASK_STATE_COMPLETED");
  expect(await refusal(ask(ada, { taskId: id, text: "approve" }))).toEqual([
    "UnsupportedOperationError",
    "invalid_input id",
  ]);
  const [review] = await control.client.reviewed(`agent/${id}`).reviews();
  expect(review).toMatchObject({ decision: { by: "ada", via: "http", principal: { kind: "person", verified: true } } });
});

test("a question to nobody else is answered by the client, each message once", async () => {
  const asked = await ask(buyer, { skill: "asker", text: "Go." });
  expect(textsOf(asked.status?.message)).toBe("Which colour?");
  const red = { taskId: asked.id, text: "red", messageId: "1" };
  const next = await ask(buyer, red);
  expect(textsOf(next.status?.message)).toBe("Which size?");
  // It is no answer to the second question.
  expect(textsOf((await ask(buyer, red)).status?.message)).toBe("Which size?");
  expect(await refusal(ask(buyer, { ...red, text: "blue" }))).toEqual(["RequestMalformedError", "id_in_use"]);
  // A person counts her own messages: this is another one.
  const done = await ask(ada, { taskId: asked.id, text: "small", messageId: "1" });
  expect([stateOf(done), answerOf(done)]).toEqual(["TASK_STATE_COMPLETED", "red/small"]);
  expect(done.history.map(textsOf).slice(1)).toEqual(["Which colour?", "red", "Which size?", "small"]);
});

test("what a parked mission waits for is recorded by a person", async () => {
  const waiting = await ask(buyer, { skill: "parked", text: "Go." });
  expect(stateOf(waiting)).toBe("TASK_STATE_INPUT_REQUIRED");
  const said = { taskId: waiting.id, data: { id: "paid", value: { euros: 5 } } };
  expect(await refusal(ask(buyer, said))).toEqual(["UnsupportedOperationError", "agents_may_not_decide"]);
  const done = await ask(ada, said);
  expect([stateOf(done), answerOf(done)]).toEqual([
    "TASK_STATE_COMPLETED",
    expect.objectContaining({ status: "done" }),
  ]);
});

test("a task is cancelled once, by whoever sees it", async () => {
  const { id } = await ask(buyer, { skill: "payer", text: "Pay." });
  expect(await refusal(seller.cancelTask({ tenant: "", id, metadata: undefined }))).toEqual([
    "TaskNotFoundError",
    `not_found run ${id}`,
  ]);
  const cancelled = await buyer.cancelTask({ tenant: "", id, metadata: undefined });
  expect(stateOf(cancelled)).toBe("TASK_STATE_CANCELED");
  expect(await refusal(buyer.cancelTask({ tenant: "", id, metadata: undefined }))).toEqual([
    "TaskNotCancelableError",
    `already_over run ${id}`,
  ]);
});

const listing = (
  filter: Partial<{
    contextId: string;
    status: TaskState;
    pageSize: number;
    pageToken: string;
    includeArtifacts: boolean;
  }>,
) => ({
  ...{ tenant: "", contextId: "", status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: "" },
  statusTimestampAfter: undefined,
  ...filter,
});

test("tasks are listed page by page, each once, and a service sees its own alone", async () => {
  const token = control.service("lister");
  const lister = await clientOf(token, "HTTP+JSON");
  const sums = [1, 2, 3, 4, 5];
  for (const a of sums) await ask(lister, { skill: "adder", data: { a, b: 0 } });
  const pages: Task[][] = [];
  let pageToken = "";
  do {
    const page = await lister.listTasks(listing({ pageSize: 2, pageToken, includeArtifacts: true }));
    expect([page.pageSize, page.totalSize]).toEqual([2, 5]);
    pages.push(page.tasks);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  expect(pages.flat().map((task) => (answerOf(task) as { sum: number }).sum)).toEqual([...sums].reverse());
  expect((await ada.listTasks(listing({ pageSize: 100 }))).tasks.length).toBeGreaterThan(sums.length);
  expect(await refusal(lister.listTasks(listing({ pageSize: 101 })))).toEqual([
    "RequestMalformedError",
    "invalid_input pageSize",
  ]);
  const forged = [90_071_992_547_409_91, 253_402_300_799_999, -1, 1.5].map((at) =>
    Buffer.from(JSON.stringify([at, "x"])).toString("base64url"),
  );
  for (const token of ["x", ...forged])
    expect(await refusal(lister.listTasks(listing({ pageToken: token })))).toEqual([
      "RequestMalformedError",
      "invalid_input pageToken",
    ]);
});

test("the card of one skill leads a client that knows no skills to it", async () => {
  const guide = await clientOf(control.service("walker"), "HTTP+JSON", "/.well-known/agent-card.json?skill=guide");
  expect(answerOf(await ask(guide, { text: "Which way?" }))).toBe("Left.");
});

test("clients of A2A 0.3 are understood, and other versions refused", async () => {
  const card = await new DefaultAgentCardResolver().resolve(control.url);
  const fetchImpl = withToken(control.service("old"));
  const old = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })],
  }).createFromAgentCard({ ...card, supportedInterfaces: card.supportedInterfaces.slice(2) });
  expect(old.protocolVersion).toBe("0.3");
  const task = await ask(old, { skill: "adder", data: { a: 1, b: 1 } });
  expect([stateOf(task), answerOf(task)]).toEqual(["TASK_STATE_COMPLETED", { sum: 2 }]);
  const future = await control.fetch("/api/a2a/tasks", { headers: { "a2a-version": "2.0" } });
  expect([future.status, await future.json()]).toMatchObject([
    400,
    { error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] } },
  ]);
});

/** What a body is answered that no client of the SDK sends. */
async function posted(body: string): Promise<[status: number, answer: unknown]> {
  const headers = { "a2a-version": "1.0", "content-type": "application/json" };
  const answer = await withToken(control.service("buyer"))(`${control.url}/api/a2a`, { method: "POST", headers, body });
  const text = await answer.text();
  return [answer.status, text === "" ? null : JSON.parse(text)];
}

test.each([
  ["[]", null],
  ['[{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}]', null],
  ["null", null],
  ["5", null],
  ['{"id":7,"method":"ListTasks","params":{}}', 7],
  ['{"jsonrpc":"2.0","id":{},"method":"ListTasks","params":{}}', null],
  ['{"jsonrpc":"2.0","id":"a","method":3}', "a"],
])("%s is no request of JSON-RPC", async (body, id) => {
  expect(await posted(body)).toMatchObject([200, { jsonrpc: "2.0", id, error: { code: -32600 } }]);
});

test("a notification is done and not answered, whether it can be done or not", async () => {
  const contextId = randomUUID();
  const said = { messageId: randomUUID(), contextId, role: "ROLE_USER", parts: [{ text: "Which way?" }] };
  const params = { message: { ...said, metadata: { skill: "guide" } } };
  expect(await posted(JSON.stringify({ jsonrpc: "2.0", method: "SendMessage", params }))).toEqual([204, null]);
  await until(async () => (await buyer.listTasks(listing({ contextId }))).tasks.length === 1, "the mission is listed");
  expect(await posted('{"jsonrpc":"2.0","method":"Fly","params":{}}')).toEqual([204, null]);
  expect(await posted('{"jsonrpc":"2.0","id":null,"method":"Fly","params":{}}')).toMatchObject([
    200,
    { id: null, error: { code: -32601 } },
  ]);
});
