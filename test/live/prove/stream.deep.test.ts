import { runProof } from "../../../prove/frame/run-proof";
import { streamProof } from "../../../prove/stream/definition";
import { testAddress } from "../../support/environment";

test("a reader hears the answer, although it is cut off, and its worker and its server are killed", async () => {
  const report = await runProof(streamProof, {
    seed: 5,
    sizes: { tokens: "3000", drops: "3", kills: "1" },
    connect: async () => ({ address: testAddress(), namespace: "default" }),
  });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({
    tokens: 3000,
    tokens_read: 3000,
    drops: 3,
    worker_kills: 1,
    web_kills: 1,
    retried: 1,
  });
  expect(report.figures.history_growth_bytes).toBeLessThan(50_000);
});
