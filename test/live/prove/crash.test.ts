import { crashProof } from "../../../src/prove/crash/definition";
import { proveCrash } from "../../../src/prove/crash/prove-crash";
import { defineProof } from "../../../src/prove/frame/proof";
import { runProof } from "../../../src/prove/frame/run-proof";
import { deepTest } from "../../support/run/deep";

const prove = (sizes: { every: string; victims: string }, options: Parameters<typeof proveCrash>[0] = {}) =>
  runProof(defineProof({ ...crashProof, load: async () => proveCrash(options) }), { seed: 1, sizes });

test("worker and server are killed once each, and every end is the same", async () => {
  const report = await prove({ every: "400", victims: "worker,server" });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions: 2, worker_kills: 1, server_kills: 1 });
});

deepTest("an effect that is repeated after a crash is found, with the event of the kill", async () => {
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
