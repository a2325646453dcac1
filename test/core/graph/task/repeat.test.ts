import { definition, gate, task } from "../definition/definitions";
import { MachineRig } from "./machine/machine-rig";

/** Calls that name the version they saw (graph reference, section 4). */

const looping = definition({ build: task({ maxRetries: 3 }), look: gate() }, [
  ["start", "build"],
  ["build", "look", "passed"],
  ["build", "build", "failed"],
  ["build", "human", "failed"],
  ["look", "done"],
]);
const at = (currentStep: string) => new MachineRig(looping, { task: { currentStep } });

test("twenty repeats of one failed step on a self-loop make one move, and are answered the same", () => {
  const { messages } = at("build");
  const call = { result: "failed", output: { log: "red" }, version: 0 };
  const first = messages.advance(call);
  expect(first).toMatchObject({ ok: true, value: { success: true, nextStep: "build", retriesUsed: 1, version: 1 } });
  for (let i = 0; i < 20; i++) {
    expect(messages.checkAdvance(call).ok).toBe(true);
    expect(messages.advance(call)).toEqual({
      ok: true,
      value: { ...(first as { value: object }).value, repeated: true },
    });
  }
});

test("a repeat is answered like the call also after retries are used up, and after the end", () => {
  const { messages } = at("build");
  for (const version of [0, 1, 2, 3]) {
    const first = messages.advance({ result: "failed", version });
    const {
      task: _,
      version: after,
      ...answer
    } = (first as unknown as { value: { task: object; version: number } }).value;
    expect(after).toBe(version + 1);
    expect(messages.advance({ result: "failed", version })).toMatchObject({ ok: true, value: answer });
  }
  const end = at("look");
  const first = end.messages.advance({ version: 0 });
  expect(first).toMatchObject({ ok: true, value: { nextStep: "done" } });
  expect(end.messages.checkAdvance({ version: 0 }).ok).toBe(true);
});

test.each([
  ["another result", { result: "passed", version: 0 }],
  ["another output", { result: "failed", output: 1, version: 0 }],
  ["a version that never was", { result: "failed", version: 9 }],
])("%s is refused as stale_version, with where the task is", (_, call) => {
  const { messages } = at("build");
  messages.advance({ result: "failed", version: 0 });
  const refused = { ok: false, fail: { reason: "stale_version", details: { version: 1, currentStep: "build" } } };
  expect(messages.checkAdvance(call)).toMatchObject(refused);
  expect(messages.advance(call)).toMatchObject(refused);
});

test("calls without a version move as before", () => {
  const { messages } = at("build");
  messages.advance({ result: "failed" });
  expect(messages.advance({ result: "failed" })).toMatchObject({ ok: true, value: { retriesUsed: 2, version: 2 } });
});
