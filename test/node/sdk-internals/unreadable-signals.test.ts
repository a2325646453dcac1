import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { Activator } from "@temporalio/workflow/lib/internals";
import { takeUnreadableSignals } from "../../../src/workflows/sdk/unreadable-signals";

/** The SDK decodes a signal before any code of a workflow sees it. These are the parts that the workflows replace. */
const world = globalThis as { __TEMPORAL_ACTIVATOR__?: unknown };
afterEach(() => {
  delete world.__TEMPORAL_ACTIVATOR__;
});

const json = (text: string): Payload => ({
  metadata: { encoding: Buffer.from("json/plain") },
  data: Buffer.from(text),
});

test("the SDK has the parts: the signals of a runtime, which it decodes with the runtime's converter", () => {
  expect(Activator.prototype.signalWorkflow.toString()).toMatch(
    /arrayFromPayloads\)?\(this\.payloadConverter, activation\.input/,
  );
});

test.each([
  ["what is no JSON", [json("{")], []],
  ["an encoding that nobody knows", [{ metadata: { encoding: Buffer.from("x/y") }, data: Buffer.from("1") }], []],
  ["no encoding", [{ data: Buffer.from("1") }], []],
  ["no arguments", undefined, undefined],
  ["JSON", [json("1"), json('{"a":2}')], [json("1"), json('{"a":2}')]],
])("a signal with %s reaches its handler, without arguments if they cannot be read", (_, input, given) => {
  const received: unknown[] = [];
  class Runtime {
    payloadConverter = defaultPayloadConverter;
    signalWorkflow(signal: { input?: unknown }) {
      received.push(signal.input);
    }
  }
  const runtime = new Runtime();
  world.__TEMPORAL_ACTIVATOR__ = runtime;
  takeUnreadableSignals();
  takeUnreadableSignals();
  runtime.signalWorkflow({ input });
  expect(received).toEqual([given]);
});
