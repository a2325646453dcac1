import type { ModelReply } from "../../src/core/calls/host";
import type { Chunk, Model, ModelCall } from "../../src/models";
import { completeAloud, findListener, PartlyReceivedError } from "../../src/models/listener";
import { knownSecrets } from "../../src/node/secrets/known-secrets";
import { gate } from "../support/gate";

/** What a listener hears of one call, when, and what becomes of one that fails or is slow. */
const CALL: ModelCall = {
  model: "own",
  agent: "teller",
  turn: 2,
  call: 3,
  attempt: 4,
  system: "",
  messages: [],
  tool_names: [],
};
const PLACE = { workflowId: "agent/a", agent: "teller", turn: 2, attempt: 4, model: "own" };

/** A model that says these pieces, waiting for what is no text. */
const saying = (...pieces: (string | Promise<unknown> | Error)[]): Model => ({
  async complete(_, { onText }) {
    let content = "";
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      if (typeof piece !== "string") await piece;
      else {
        content += piece;
        onText?.(piece);
      }
    }
    return { content };
  },
});
const answering = (reply: ModelReply): Model => ({ complete: async () => reply });

interface Given {
  call?: Partial<ModelCall>;
  signal?: AbortSignal;
  patience_ms?: number;
  /** What the listener does besides. */
  hear?: (chunk: Chunk) => void | Promise<void>;
}

function aloud(model: Model, { call = {}, signal = new AbortController().signal, hear, ...more }: Given = {}) {
  const heard: Chunk[] = [];
  const trouble: unknown[] = [];
  const listener = (chunk: Chunk) => {
    heard.push(chunk);
    return hear?.(chunk);
  };
  const onTrouble = (event: string, fields: object) => void trouble.push({ event, ...fields });
  const ear = { name: "screen", listener, workflowId: "agent/a", onTrouble, ...more };
  return { heard, trouble, ended: completeAloud(model, { ...CALL, ...call }, signal, ear) };
}
const texts = (heard: Chunk[]) => heard.map(({ text, done }) => (done ? [text] : text));

test("pieces arrive in order, and a last chunk marks the end", async () => {
  const { heard, trouble, ended } = aloud(saying("Once ", "upon ", "a time."));
  expect(await ended).toEqual({ content: "Once upon a time." });
  expect(heard).toEqual([
    { ...PLACE, text: "Once " },
    { ...PLACE, text: "upon " },
    { ...PLACE, text: "a time." },
    { ...PLACE, text: "", done: true },
  ]);
  expect(trouble).toEqual([]);
});

test.each([
  { it: "a model that does not stream", model: answering({ content: "All." }), heard: [["All."]] },
  { it: "an empty answer", model: answering({ content: "" }), heard: [] },
  { it: "empty pieces", model: saying("", "All.", ""), heard: ["All.", [""]] },
  {
    it: "a reply that asks for calls",
    model: answering({ content: "Let me look.", tool_calls: [{ name: "look", args: {} }] }),
    call: { tools: [] },
    heard: [],
  },
  { it: "blanks beside tools", model: answering({ content: " \n" }), call: { tools: [] }, heard: [] },
  { it: "a final reply beside tools", model: saying("A", "ll."), call: { tools: [] }, heard: [["All."]] },
])("$it is delivered as $heard", async ({ model, call = {}, heard }) => {
  const told = aloud(model, { call });
  await told.ended;
  expect(texts(told.heard)).toEqual(heard);
});

test("while a listener is busy, new pieces wait and are joined; the model continues", async () => {
  const listening = gate();
  // The model opens it itself, behind its last piece: a model that was held up would never come there.
  const model: Model = {
    complete: async (call, options) => {
      const reply = await saying("a", Promise.resolve(), "b", "c").complete(call, options);
      listening.open();
      await new Promise((resolve) => setImmediate(resolve));
      return reply;
    },
  };
  const { heard, ended } = aloud(model, { hear: ({ text }) => (text === "a" ? listening.opened : undefined) });
  expect(await ended).toEqual({ content: "abc" });
  expect(texts(heard)).toEqual(["a", "bc", [""]]);
});

test("the call ends when its listener has got everything", async () => {
  const listening = gate();
  let over = false;
  const { heard, ended } = aloud(saying("a"), { hear: ({ done }) => (done ? listening.opened : undefined) });
  const after = ended.then(() => {
    over = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([texts(heard), over]).toEqual([["a", [""]], false]);
  listening.open();
  await after;
});

const THROWS: { it: string; hear: Given["hear"] }[] = [
  {
    it: "throws",
    hear: () => {
      throw new Error("no paper");
    },
  },
  { it: "rejects", hear: () => Promise.reject(new Error("no paper")) },
];
test.each(THROWS)(
  "a listener that $it is reported once, gets nothing more, and does not affect the call",
  async ({ hear }) => {
    const { heard, trouble, ended } = aloud(
      saying("a", Promise.resolve(), "b", "c"),
      hear === undefined ? {} : { hear },
    );
    expect(await ended).toEqual({ content: "abc" });
    expect(texts(heard)).toEqual(["a"]);
    expect(trouble).toEqual([{ event: "listener_failed", listener: "screen", error: "no paper" }]);
  },
);

test("a listener that never returns is given up after a while, and reported", async () => {
  const { heard, trouble, ended } = aloud(saying("a", "b"), { hear: () => new Promise(() => {}), patience_ms: 10 });
  expect(await ended).toEqual({ content: "ab" });
  expect(texts(heard)).toEqual(["a"]);
  expect(trouble).toEqual([{ event: "listener_too_slow", listener: "screen" }]);
});

test("a model that fails after its first piece says so; the stream then has no end", async () => {
  const error = new Error("the line is dead");
  const { heard, ended } = aloud(saying("a", error));
  const thrown = await ended.catch((one: unknown) => one);
  expect(thrown).toBeInstanceOf(PartlyReceivedError);
  expect((thrown as PartlyReceivedError).cause).toBe(error);
  expect(texts(heard)).toEqual(["a"]);
});

test("a model that fails before its first piece fails as without a listener", async () => {
  const error = new Error("busy");
  await expect(aloud(saying(error)).ended).rejects.toBe(error);
});

test("a cancelled call reports nothing", async () => {
  const controller = new AbortController();
  const { heard, ended } = aloud(saying("a", Promise.resolve(), "b"), {
    signal: controller.signal,
    hear: () => controller.abort(),
  });
  await ended;
  expect(texts(heard)).toEqual(["a"]);
});

test("a cancelled call does not wait for its listener", async () => {
  const controller = new AbortController();
  const { trouble, ended } = aloud(saying("a"), {
    signal: controller.signal,
    hear: () => {
      setImmediate(() => controller.abort());
      return new Promise(() => {});
    },
  });
  await ended;
  expect(trouble).toEqual([]);
});

test("an unknown listener is refused with the known ones", () => {
  const listeners = { screen: () => {}, paper: () => {} };
  expect(findListener(listeners, "paper")).toBe(listeners.paper);
  for (const name of ["scren", "constructor"])
    expect(() => findListener(listeners, name)).toThrow(
      expect.objectContaining({
        errorClass: "listener_not_found",
        message: `There is no listener "${name}" for on_chunk here. Listeners: screen, paper.`,
      }),
    );
});

test("a secret that the model says is masked for the listener, also in two pieces and in a whole reply", async () => {
  knownSecrets.add("SPOKEN", "spoken-12345678");
  const { heard, ended } = aloud(saying("It is spoken-1234", "5678, and spoken-12"));
  await ended;
  expect(heard.map(({ text }) => text).join("")).toBe("It is [secret SPOKEN], and spoken-12");
  expect(heard.at(-1)?.done).toBe(true);
  const whole = aloud(answering({ content: "spoken-12345678" }));
  await whole.ended;
  expect(whole.heard.map(({ text }) => text)).toEqual(["[secret SPOKEN]"]);
});
