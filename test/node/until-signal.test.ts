import { signalled, untilSignal } from "../../src/cli/terminal/until-signal";

/** Who listens to the signals that end a process: with nobody, a signal ends it at once. */
const listeners = () => ["SIGTERM", "SIGINT", "SIGHUP"].map((signal) => process.listenerCount(signal));

test.each(["SIGTERM", "SIGINT"] as const)(
  "after a first %s a second signal of either kind ends the process",
  async (signal) => {
    const before = listeners();
    const first = signalled();
    process.emit(signal);
    await first;
    expect(listeners()).toEqual(before);
  },
);

test("work that cleans up after a signal is ended by the next one", async () => {
  const before = listeners();
  let seen: number[] = [];
  const work = (stop: AbortSignal) =>
    new Promise<string>((resolve) => {
      stop.addEventListener("abort", () => {
        seen = listeners();
        resolve("cleaned up");
      });
      process.emit("SIGINT");
    });
  expect(await untilSignal(work, () => {})).toBe("cleaned up");
  expect(seen).toEqual(before);
});
