import { sharedRead } from "../../src/web/requests/shared-read";

const backend = { client: {} as never };

function counted(answer: (n: number) => Promise<number>) {
  let reads = 0;
  let time = 0;
  const read = sharedRead(() => answer(++reads), { now: () => time });
  const pass = (ms: number) => {
    time += ms;
  };
  return { read, reads: () => reads, pass };
}

test("whoever asks for the same at the same time is answered by one read; later there is another", async () => {
  const { read, reads, pass } = counted(async (n) => n);
  expect(await Promise.all([read(backend, "a"), read(backend, "a"), read(backend, "a")])).toEqual([1, 1, 1]);
  expect(await read(backend, "a")).toBe(1);
  expect(await read(backend, "b")).toBe(2);
  pass(1_000);
  expect(await read(backend, "a")).toBe(3);
  expect(reads()).toBe(3);
});

test("an error is not kept, and another server has answers of its own", async () => {
  const { read } = counted(async (n) => {
    if (n === 1) throw new Error("no");
    return n;
  });
  await expect(read(backend, "a")).rejects.toThrow("no");
  expect(await read(backend, "a")).toBe(2);
  expect(await read({ client: {} as never }, "a")).toBe(3);
});
