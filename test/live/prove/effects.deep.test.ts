import { effectsProof } from "../../../prove/effects/definition";
import { runProof } from "../../../prove/frame/run-proof";

/**
 * `navigator prove effects` on a server whose worker is killed: small, and with the same code. The missions of this seed
 * lose answers, look effects up and conflict by themselves, so that nothing here depends on where the kills fall.
 */
test("missions survive the death of their worker, and so does their undo", async () => {
  const report = await runProof(effectsProof, { seed: 218, sizes: { missions: "0", kills: "4", undo: "4" } });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions: 8, repeats: 0, losses: 0, missions_undone: 4 });
  expect(report.figures.worker_kills).toBeGreaterThan(0);
});
