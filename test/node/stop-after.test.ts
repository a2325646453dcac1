import { stopAfter, TookTooLong } from "../../src/node/stop-after";

const idle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

test("work without end is ended, and what work gives or throws comes through", () => {
  expect(() =>
    stopAfter(20, () => {
      for (;;);
    }),
  ).toThrow(TookTooLong);
  expect(stopAfter(60_000, () => 42)).toBe(42);
  expect(() =>
    stopAfter(60_000, () => {
      throw new RangeError("too deep");
    }),
  ).toThrow("too deep");
});

test("work that had no time of the machine begins again; it does not do so for ever", () => {
  // Other threads of this process may use its CPU at the same time.
  const used = jest.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 });
  let beginnings = 0;
  const starved = (until: number) =>
    stopAfter(400, () => {
      if (++beginnings < until) idle();
      return beginnings;
    });
  expect(starved(3)).toBe(3);
  beginnings = 0;
  expect(() => starved(1_000)).toThrow(TookTooLong);
  expect(beginnings).toBe(3);
  used.mockRestore();
});
