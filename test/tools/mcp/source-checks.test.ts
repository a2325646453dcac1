import { TookTooLong } from "../../../src/node/stop-after";
import { SourceChecks } from "../../../src/tools/mcp/source-checks";
import type { SchemaRead } from "../../../src/tools/schema/json-schema-check";

const check = { schema: true, value: 1 };
const fine: SchemaRead = { ok: true, value: 1 };
const endless = (): never => {
  for (;;);
};

test("a check that ends at once runs here, and one that does not runs apart", async () => {
  let apart = 0;
  const checks = new SourceChecks({ apart: async () => ({ ...fine, value: ++apart }) });
  expect(await checks.read("sum", () => fine, check, 1_000)).toEqual(fine);
  expect(apart).toBe(0);
  expect(await checks.read("sum", endless, check, 1_000)).toMatchObject({ value: 1 });
});

test("checks of one source run apart one at a time, and after one that does not end none of them begins", async () => {
  const begun: number[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const apart = async ({ value }: { value: unknown }) => {
    begun.push(value as number);
    await ended;
    throw new TookTooLong("It took longer than 1000 ms.");
  };
  const checks = new SourceChecks({ apart });
  const reads = [1, 2, 3].map((value) => checks.read("sum", endless, { ...check, value }, 1_000));
  end();
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(begun).toEqual([1]);
});

test("a source whose check did not end is switched off for five minutes, and the log names it", async () => {
  let now = 0;
  const off: unknown[] = [];
  const apart = () => Promise.reject(new TookTooLong("It took longer than 1000 ms."));
  const checks = new SourceChecks({ apart, now: () => now, onOff: (fields) => off.push(fields) });
  checks.refuseIfOff();
  await expect(checks.read("sum", endless, check, 1_000)).rejects.toBeInstanceOf(TookTooLong);
  expect(off).toEqual([{ tool: "sum", minutes: 5 }]);
  now = 250_000;
  expect(() => checks.refuseIfOff()).toThrow(/switched off for 1 more minutes.*The call was not made/);
  now = 300_000;
  expect(() => checks.refuseIfOff()).not.toThrow();
});
