import { examplesOf, runExample } from "../support/doc-examples";
import { testAddress } from "../support/environment";

/** The examples of the docs that need a server. */
const tests = examplesOf("testing.md", "server").flatMap((code) => runExample(code).tests);

test.each(tests)("testing.md: %s", async (_, run) => {
  await run();
});

test("library.md: the complete example", async () => {
  const { main } = runExample(examplesOf("library.md", "server")[0] as string).exports;
  expect(await (main as (address: string) => Promise<string>)(testAddress())).toMatch(
    /^## Mission Log \(Completed Tasks\)\n- \[done\] charge_42: \{"tx" "tx_42 by agent\/order-42~[\w-]{43}~1"\}$/,
  );
});

test("library.md: a listener", async () => {
  const { main } = runExample(examplesOf("library.md", "server")[1] as string).exports;
  expect(await (main as (address: string) => Promise<string>)(testAddress())).toEqual([
    "Once upon a time.",
    "Once upon a time.\n",
  ]);
});
