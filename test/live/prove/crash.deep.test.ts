import { crashProof } from "../../../prove/crash/definition";
import { proveCrash } from "../../../prove/crash/prove-crash";
import { defineProof } from "../../../prove/frame/proof";
import { runProof } from "../../../prove/frame/run-proof";

const prove = (sizes: { every: string; victims: string }, options: Parameters<typeof proveCrash>[0] = {}) =>
  runProof(defineProof({ ...crashProof, load: async () => proveCrash(options) }), { seed: 1, sizes });

test("worker, server and MCP process are killed at many events, and every end is the same", async () => {
  const report = await prove({ every: "40", victims: "worker,server,mcp" });
  expect(report.violations).toEqual([]);
  // Four missions, and a walk whose process is killed during each of its calls.
  expect(report.figures).toMatchObject({ missions: 5, mcp_kills: 7 });
  expect(report.figures.worker_kills).toBeGreaterThan(0);
  expect(report.figures.server_kills).toBeGreaterThan(0);
});

test("an effect that is repeated after a crash is found, with the event of the kill", async () => {
  const report = await prove(
    { every: "400", victims: "worker" },
    { afterKill: (service) => service.act("charge", { cents: 4990 }, { idempotencyKey: "another", task: "charge" }) },
  );
  expect(report.violations[0]).toMatchObject({
    what: expect.stringMatching(/^After the worker was killed, effects is .* and without a kill /),
    where: expect.stringMatching(/^event \d+ of \d+$/),
    smallest: { victim: "worker", event: expect.any(Number) },
    command: expect.stringMatching(/^navigator prove crash --seed 1 --every 400 --victims worker --case \d+$/),
  });
});
