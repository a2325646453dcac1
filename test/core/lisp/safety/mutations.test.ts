import { corpus } from "./corpus";
import { allAreSafe } from "./judge";
import { mutated } from "./mutate";

const programs = corpus();

test("the programs to start from are those of the documentation, at least", () => {
  expect(programs.length).toBeGreaterThan(60);
});

allAreSafe(
  "mutations",
  mutated(programs).map((source) => ({ source, setting: {} })),
);
