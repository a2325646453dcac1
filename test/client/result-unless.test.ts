import { resultUnless } from "../../src/cli/session/watch-run";
import { NavigatorError } from "../../src/core/base/navigator-error";

/** A client that tells with which signals calls are made. */
function watched(result: (calls: number) => Promise<string>) {
  const signals: AbortSignal[] = [];
  const client = {
    withDeadline: (_: unknown, work: () => unknown) => work(),
    withAbortSignal: (signal: AbortSignal, work: () => unknown) => {
      signals.push(signal);
      return work();
    },
  };
  return { signals, handle: { workflow: { client: client as never }, result: () => result(signals.length) } };
}
const roundIsOver = () => Promise.reject(new NavigatorError("no_worker", "deadline"));

test("each round of a long wait has a signal of its own, and leaves none behind", async () => {
  const over = new AbortController();
  const { signals, handle } = watched((calls) => (calls < 30 ? roundIsOver() : Promise.resolve("done")));
  expect(await resultUnless(over.signal, handle)).toBe("done");
  expect(new Set(signals).size).toBe(30);
  over.abort();
  expect(signals.some(({ aborted }) => aborted)).toBe(false);
});

test("the end of the watching ends the round, and a failure is no end of a round", async () => {
  const over = new AbortController();
  const { signals, handle } = watched(() => {
    over.abort();
    return roundIsOver();
  });
  await expect(resultUnless(over.signal, handle)).rejects.toMatchObject({ code: "no_worker" });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  const failing = watched(() => Promise.reject(new NavigatorError("agent_lost", "It was cancelled.")));
  await expect(resultUnless(new AbortController().signal, failing.handle)).rejects.toMatchObject({
    code: "agent_lost",
  });
});
