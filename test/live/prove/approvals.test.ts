import { DECISION_ATTACKS } from "../../../prove/approvals/decision-attacks";
import { approvalsProof } from "../../../prove/approvals/definition";
import { proveApprovals } from "../../../prove/approvals/prove-approvals";
import { defineProof } from "../../../prove/frame/proof";
import { runProof } from "../../../prove/frame/run-proof";
import { testAddress } from "../../support/environment";
import { deepTest, isDeep } from "../../support/run/deep";

const NOTHING = { n: "0", calls: "0", races: "0", processes: "0", exports: "0", sound: "0" };

const prove = (
  sizes: Partial<typeof NOTHING>,
  options: Parameters<typeof proveApprovals>[0] = {},
  only: number | null = null,
) =>
  runProof(defineProof({ ...approvalsProof, load: async () => proveApprovals(options) }), {
    seed: 3,
    only,
    sizes: { ...NOTHING, ...sizes },
    connect: async () => ({ address: testAddress(), namespace: "default" }),
  });

test("every attack on a decision is refused with its code, and counts without its fault", async () => {
  const report = await prove({ n: "1", races: isDeep ? "1" : "0" });
  expect(report.violations).toEqual([]);
  const attacks = DECISION_ATTACKS.length;
  expect(report.figures).toMatchObject({
    missions: isDeep ? 2 : 1,
    refused_updates: attacks,
    refused_signals: attacks,
    controls: 2 * attacks,
    charges: isDeep ? 2 : 1,
  });
  if (isDeep) expect(report.figures.racing_votes).toBe(100);
});

deepTest("what is done between the yes and the call stops it", async () => {
  const report = await prove({ calls: "1" });
  expect(report.violations).toEqual([]);
  const { refused_calls, controls } = report.figures;
  expect(refused_calls).toBeGreaterThan(15);
  // A yes that is too old has no control: it is given again, in the same mission.
  expect(controls).toBe(Number(refused_calls) - 1);
});

deepTest(
  "an attack that counts is found, by update and by signal, and so is one that is refused for another reason",
  async () => {
    const [first] = DECISION_ATTACKS;
    if (first === undefined) throw new Error("There are no attacks.");
    const attacks = [
      { ...first, name: "an attack that succeeds", forged: first.sound },
      { ...first, name: "an attack with another fault", code: "key_revoked" },
    ];
    const { violations } = await prove({ n: "1" }, { attacks }, 0);
    expect(violations.map(({ what }) => what).sort()).toEqual([
      "It counted: an attack that succeeds, by signal.",
      "It counted: an attack that succeeds, by update.",
      "It was refused as unknown_signer, and not as key_revoked: an attack with another fault, by update.",
    ]);
    expect(violations[0]).toMatchObject({ where: "mission 0", case: 0, seed: 3 });
    expect(violations[0]?.command).toContain("navigator prove approvals --seed 3 --n 1 ");
  },
);
