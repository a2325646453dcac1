import { damagedExports } from "../../../prove/approvals/damaged-exports";
import { DAMAGES } from "../../../prove/approvals/damages";
import { sized } from "../../support/run/property";

const SEED = 20260601;

test("every damage of an export is found, and no sound one is refused", async () => {
  const sizes = sized({ sound: 12, damaged: 150 }, { sound: 60, damaged: 600 });
  const found = await damagedExports({ seed: SEED, ...sizes });
  expect(found).toMatchObject({ ...sizes, missed: [], refused: [] });
  expect(Object.keys(found.by_damage).sort()).toEqual(Object.keys(DAMAGES).sort());
});
