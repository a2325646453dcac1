import { inBatches } from "../../../src/client/tasks/concurrency";

/** Lets everything happen that waits for nothing from outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const items = (count: number) => Array.from({ length: count }, (_, i) => i);

test("a batch starts while the one before is not answered yet, and the one after that waits for the answer", async () => {
  const begun: number[] = [];
  const asked: number[] = [];
  let answer = () => {};
  const all = inBatches(
    items(96),
    async (item) => void begun.push(item),
    (last) => {
      asked.push(last);
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
  );
  await settled();
  expect(begun).toEqual(items(64));
  expect(asked).toEqual([31]);
  answer();
  await settled();
  expect(begun).toEqual(items(96));
  expect(asked).toEqual([31, 63]);
  answer();
  await all;
});

test("what was begun has ended when the error of an earlier answer is told", async () => {
  const begun: number[] = [];
  const all = inBatches(
    items(96),
    async (item) => {
      await settled();
      begun.push(item);
    },
    async () => {
      throw new Error("no worker");
    },
  );
  await expect(all).rejects.toThrow("no worker");
  expect(begun).toEqual(items(64));
});
