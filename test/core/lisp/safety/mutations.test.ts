import { corpus } from "./material/corpus";
import { allAreSafe } from "./material/judge";
import { mutated } from "./material/mutate";

const programs = corpus();

test("the programs to start from are those of the documentation, at least", () => {
  expect(programs.length).toBeGreaterThan(60);
});

allAreSafe(
  "mutations",
  mutated(programs).map((source) => ({ source, setting: {} })),
);
