import { createModels, type ModelCall, ModelError } from "../../src/models";
import { gate } from "../support/gate";
import { asked } from "./asked";
import { type Answer, Loopback } from "./loopback";
import { STREAMS } from "./stream-wire";

/** Answers that come piece by piece over HTTP, in each provider's own words: what is heard, and what comes of it. */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const never = new AbortController().signal;

describe.each(STREAMS)("$model", (shape) => {
  const listen = async (
    answers: Answer[],
    { call = asked(), signal = never }: { call?: ModelCall; signal?: AbortSignal } = {},
  ) => {
    loopback.reset(...answers);
    const heard: string[] = [];
    const model = createModels({ env: { ...shape.env(loopback.url) } }).resolve(shape.model);
    const ended = await model.complete(call, { signal, onText: (piece) => heard.push(piece) }).then(
      (reply) => ({ reply, error: undefined }),
      (error: unknown) => ({ reply: undefined, error }),
    );
    return { heard, model, ...ended };
  };

  test("pieces arrive in order, and the reply is the same as without streaming", async () => {
    const { heard, reply, error } = await listen([
      { pieces: [...shape.begin, shape.text("Once "), shape.text("upon "), shape.text("a time."), ...shape.end] },
    ]);
    expect(error).toBeUndefined();
    expect(heard).toEqual(["Once ", "upon ", "a time."]);
    expect(reply).toMatchObject({ content: "Once upon a time.", tokens: { input: 12, output: 5, cache_read: 8 } });
    expect(loopback.seen.map((seen) => shape.asksToStream(seen))).toEqual([true]);
  });

  test("pieces arrive while the model streams, not at the end", async () => {
    const hold = gate();
    loopback.reset({ pieces: [...shape.begin, shape.text("Once "), hold.opened, shape.text("more."), ...shape.end] });
    const heard: string[] = [];
    const model = createModels({ env: shape.env(loopback.url) }).resolve(shape.model);
    const reply = await model.complete(asked(), {
      signal: never,
      onText: (piece) => {
        heard.push(piece);
        // What comes next is sent only now: a model that gathered its answer first would never end.
        hold.open();
      },
    });
    expect(heard).toEqual(["Once ", "more."]);
    expect(reply.content).toBe("Once more.");
  });

  test("a connection that breaks in the middle is a server_error; earlier pieces were delivered", async () => {
    const { heard, error } = await listen([{ pieces: [...shape.begin, shape.text("Once "), "hang up"] }]);
    expect(heard).toEqual(["Once "]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ errorClass: "server_error" });
    expect(loopback.seen).toHaveLength(1);
  });

  test("a stream that ends too early is not an answer", async () => {
    const { heard, error } = await listen([{ pieces: [...shape.begin, shape.text("Once ")] }]);
    expect(heard).toEqual(["Once "]);
    expect(error).toMatchObject({ errorClass: "malformed_response" });
    expect(loopback.seen).toHaveLength(1);
  });

  test.each([
    { status: 429, errorClass: "rate_limit" },
    { status: 500, errorClass: "server_error" },
    { status: 401, errorClass: "auth_error" },
  ])("$status is $errorClass, as without streaming", async ({ status, errorClass }) => {
    const { heard, error } = await listen([{ status, body: { error: { message: "no", type: "x" }, type: "error" } }]);
    expect(heard).toEqual([]);
    expect(error).toMatchObject({ errorClass });
    expect(loopback.seen).toHaveLength(1);
  });

  test("a call that is cancelled in the middle ends with the reason, and its connection is closed", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    loopback.reset({ pieces: [...shape.begin, shape.text("Once "), new Promise(() => {})] });
    const model = createModels({ env: shape.env(loopback.url) }).resolve(shape.model);
    const call = model.complete(asked(), { signal: controller.signal, onText: () => controller.abort(reason) });
    await expect(call).rejects.toBe(reason);
    await loopback.untilAbandoned();
  });
});
