import { damagedExports } from "../../../src/prove/approvals/damaged-exports";
import { DAMAGES } from "../../../src/prove/approvals/damages";

const SEED = 20260601;

test("every damage of an export is found, and no sound one is refused", async () => {
  const found = await damagedExports({ seed: SEED, sound: 60, damaged: 600 });
  expect(found).toMatchObject({ sound: 60, damaged: 600, missed: [], refused: [] });
  expect(Object.keys(found.by_damage).sort()).toEqual(Object.keys(DAMAGES).sort());
});
