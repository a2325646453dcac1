import { payerWith } from "../../prove/effects/agents";
import { effectsProof } from "../../prove/effects/definition";
import { callsOf, type EffectMission } from "../../prove/effects/missions/mission";
import { PAYMENTS } from "../../prove/effects/payment-tools";
import { type EffectsOptions, proveEffects } from "../../prove/effects/prove-effects";
import { type MemoryOptions, runMissionInMemory } from "../../prove/effects/run-in-memory";
import { runPairInMemory } from "../../prove/effects/run-pair";
import { defineProof } from "../../prove/frame/proof";
import type { ProofViolation } from "../../prove/frame/report";
import { type ProofRun, runProof } from "../../prove/frame/run-proof";
import { withToolSpecs } from "../../src/core/agent/tools/with-specs";
import { isDeep } from "../support/run/deep";
import { sized } from "../support/run/property";

/** `navigator prove effects` on ledgers that are broken on purpose. */

const prove = (missions: number, options: EffectsOptions, more: Partial<ProofRun> = {}) =>
  runProof(defineProof({ ...effectsProof, load: async () => proveEffects(options) }), {
    seed: 1,
    sizes: { missions: String(missions) },
    ...more,
  });

const broken = (options: () => MemoryOptions): EffectsOptions => ({
  run: (mission, id, service) => runMissionInMemory(mission, id, service, options()),
});

const payer = payerWith(PAYMENTS);

const sizeOf = (mission: unknown) => JSON.stringify(mission).length;

const callsIn = ({ stages }: EffectMission) =>
  stages.flatMap(({ scripts }) => scripts.flatMap(({ forms }) => forms.flatMap(callsOf))).length;

test("generated missions do what is wanted, and people are not asked for nothing", async () => {
  const missions = sized(30, 100);
  const report = await prove(missions, {}, { seed: 2 });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions, repeats: 0, losses: 0, needless_stops: 0 });
  expect(report.figures.reworded_asked).toBeGreaterThan(0);
  const { effects_intended, effects_done, conflicts, conflicts_reported, conflicts_logged } = report.figures;
  expect(effects_done).toBe(effects_intended);
  expect([conflicts_reported, conflicts_logged]).toEqual([conflicts, conflicts]);
});

test("missions that share effects do them once, and a pair that does not is found", async () => {
  const missions = sized(12, 20);
  const sizes = { missions: String(missions), cross: "0.3" };
  const report = await prove(missions, {}, { seed: 3, sizes });
  expect(report.violations).toEqual([]);
  expect(report.figures.missions).toBe(2 * missions);
  expect(report.figures.cross_effects).toBeGreaterThan(sized(5, 10));

  // Each pair that is found out is made smaller, which takes most of the time.
  const few = sized(3, 20);
  const alone: EffectsOptions = { runPair: (pair, service) => runPairInMemory(pair, service, payer) };
  const { violations } = await prove(few, alone, { seed: 3, sizes: { ...sizes, missions: String(few) } });
  expect(violations[0]?.what).toMatch(/was wanted \d and \d times by two missions and done \d times/);
});

/** As if the place of a call were its key. */
function keysByCall(): () => string {
  let calls = 0;
  return () => `call ${++calls}`;
}

const FAULTS = [
  {
    few: 8,
    fault: "every argument makes an effect, so that another memo is another effect",
    options: () => ({
      agent: withToolSpecs(
        payer,
        PAYMENTS.specs.map((spec) => ({ ...spec, identity: ["to", "cents", "memo"] })),
      ),
    }),
    says: /was wanted \d and done \d times/,
    figure: "repeats",
  },
  {
    few: 8,
    fault: "equal effects have one key, without which of them is wanted",
    options: () => ({ keyOf: (key: string) => key.replace(/\d+$/, "1") }),
    says: /was wanted \d and done \d times/,
    figure: "losses",
  },
  {
    few: 4,
    fault: "each call has a key of its own, whatever it does",
    options: () => ({ keyOf: keysByCall() }),
    says: /was wanted \d and done \d times/,
    figure: "repeats",
  },
];
const MORE_FAULTS = [
  {
    few: 2,
    fault: "all effects have one key",
    options: () => ({ keyOf: () => "one key" }),
    says: /were asked for under one key/,
    figure: "missions",
  },
];
test.each(isDeep ? [...FAULTS, ...MORE_FAULTS] : FAULTS)(
  "a ledger is found out whose fault is: $fault",
  async ({ few, options, says, figure }) => {
    const missions = sized(few, 60);
    const report = await prove(missions, broken(options));
    expect(report.ok).toBe(false);
    expect(report.figures[figure]).toBeGreaterThan(0);
    const found = report.violations.find(({ what }) => says.test(what)) as ProofViolation;
    expect(found.command).toBe(`navigator prove effects --seed 1 --missions ${missions} --case ${found.case}`);
    expect(sizeOf(found.smallest)).toBeLessThan(700);
    expect(callsIn(found.smallest as unknown as EffectMission)).toBeLessThanOrEqual(2);
    // The command that runs just that finds the same.
    const again = await prove(missions, broken(options), { only: found.case as number });
    expect(again.violations).toContainEqual(found);
  },
);
