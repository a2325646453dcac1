import { effectsProof } from "../../../src/prove/effects/definition";
import { runProof } from "../../../src/prove/frame/run-proof";

/** `navigator prove effects` on a server whose worker is killed: small, and with the same code. */
test("missions survive the death of their worker, and so does their undo", async () => {
  const report = await runProof(effectsProof, { seed: 2, sizes: { missions: "0", kills: "4", undo: "4" } });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions: 8, repeats: 0, losses: 0, missions_undone: 4 });
  expect(report.figures.worker_kills).toBeGreaterThan(0);
});
