import { runCrowd } from "../../bench/crowd/run";

/** Many orchestrators at once on one queue, of three kinds, while answers are lost and processes are killed: `npm run soak:mcp`, small. */

test("a crowd loses no result and claims nothing twice, whoever is killed", async () => {
  const { figures, violations } = await runCrowd({ clients: 6, tasks: 90, kills: 4, seed: 2, lease_s: 10 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({
    ...{ clients: 6, kinds: 3, tasks: 90, results: expect.any(Number) },
    ...{ stdio_kills: 1, http_kills: 1, worker_kills: 1, temporal_kills: 1 },
  });
  expect(figures.results).toBeGreaterThanOrEqual(90);
});
