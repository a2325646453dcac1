import { examplesOf, runExample } from "../support/doc-examples";

/** These pages say nothing that does not work; what needs a server is in test/live. */
const examples = ["testing.md", "library.md", "agents.md"].flatMap((page) =>
  examplesOf(page, "alone").map((code) => ({ page, code })),
);
const tests = examples.flatMap(({ page, code }) => runExample(code).tests.map(([name, run]) => ({ page, name, run })));

test("there are examples", () => expect(tests.length).toBeGreaterThan(5));
test.each(tests)("$page: $name", async ({ run }) => {
  await run();
});
