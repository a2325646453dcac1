import { unmet } from "../../src/simulate/expectation";

describe("expectations", () => {
  const found = {
    step: { return: [1, "a long text"], memory: { a: 1, b: { secret: 7 } } },
    calls: [{ n: 1 }, { n: 2 }],
  };

  test.each([
    { says: { step: { memory: { a: 1 } } }, about: "objects by what is said of them" },
    { says: { step: { return: [1, "...long..."] } }, about: "a part of a text" },
    { says: { step: { memory: { $lacks: "hidden" } } }, about: "a text that is nowhere" },
    { says: { calls: { $has: [{ n: 2 }] } }, about: "one of several items" },
    { says: { calls: { $length: 2, $has: [{ n: 1 }, { n: 2 }] } }, about: "several rules at once" },
    { says: { step: { memory: { $only: { a: 1, b: {} } } } }, about: "fields and no others" },
    { says: { step: { memory: { a: { $type: "number" } } } }, about: "a type" },
    { says: { step: { memory: { c: undefined } } }, about: "what is not there" },
  ])("met: $about", ({ says }) => expect(unmet(says, found)).toEqual([]));

  test.each([
    { says: { step: { return: [1] } }, path: "step.return" },
    { says: { step: { return: [1, "...short..."] } }, path: "step.return[1]" },
    { says: { step: { memory: { $lacks: ["no", "secret"] } } }, path: "step.memory" },
    { says: { calls: { $has: [{ n: 3 }] } }, path: "calls" },
    { says: { calls: { $length: 1 } }, path: "calls" },
    { says: { step: { memory: { $only: { a: 1 } } } }, path: "step.memory" },
    { says: { step: { memory: { $only: {} } } }, path: "step.memory" },
    { says: { step: { memory: { a: { $type: "string" } } } }, path: "step.memory.a" },
    { says: { none: 1 }, path: "none" },
  ])("not met: $path of $says", ({ says, path }) => expect(unmet(says, found).map((one) => one.path)).toEqual([path]));
});
