import {
  formatOfWord,
  formatWord,
  hasFlag,
  inPresentFormat,
  KNOWN_FORMATS,
  presentFormat,
  RUN_FORMAT,
  sameFormat,
  unknownFormat,
} from "../../../src/core/base/run-format";

/** Flags of a later version. */
const LATER = ["calls-in-pairs", "short-memos"];

test("a run that starts now names the baseline, and the flags of this version", () => {
  expect(presentFormat([])).toEqual({ format: RUN_FORMAT });
  expect(presentFormat(LATER)).toEqual({ format: RUN_FORMAT, flags: LATER });
});

test("a run that continues, and a child, have the conventions of the run before and nothing else of its input", () => {
  expect(sameFormat({ format: 1, flags: LATER, journal: null } as never)).toEqual({ format: 1, flags: LATER });
  expect(sameFormat({ format: 1 })).toEqual({ format: 1 });
});

test("a run that repeats one of a later version keeps none of its flags", () =>
  expect(inPresentFormat({ format: 2, flags: LATER, journal: null })).toEqual({ ...presentFormat(), journal: null }));

test("a flag is on where the input has it", () => {
  expect(hasFlag({ flags: LATER }, "short-memos" as never)).toBe(true);
  expect(hasFlag({ flags: ["calls-in-pairs"] }, "short-memos" as never)).toBe(false);
  expect(hasFlag({}, "short-memos" as never)).toBe(false);
});

test.each([
  { given: {}, names: [], unknown: null },
  { given: { format: RUN_FORMAT }, names: [], unknown: null },
  { given: { format: RUN_FORMAT, flags: LATER }, names: LATER, unknown: null },
  { given: { format: RUN_FORMAT + 1 }, names: LATER, unknown: "run format 2" },
  { given: { format: 17 }, names: [], unknown: "run format 17" },
  { given: { format: RUN_FORMAT, flags: LATER }, names: ["calls-in-pairs"], unknown: "the flag short-memos" },
  { given: { format: RUN_FORMAT, flags: LATER }, names: [], unknown: "the flags calls-in-pairs, short-memos" },
])("of $given a version with the flags $names does not know: $unknown", ({ given, names, unknown }) =>
  expect(unknownFormat(given, names)).toBe(unknown),
);

test.each([{ format: 0 }, { format: -1 }, { format: 1.5 }, { format: "2" }, { flags: "short-memos" }, { flags: [7] }])(
  "%j is no name of conventions: the check of the input refuses it, and no worker waits for another version",
  (given) => expect(unknownFormat(given as never)).toBeNull(),
);

test.each([{ format: 1 }, { format: 2, flags: ["a"] }, { format: 1, flags: LATER }])(
  "the search attribute of %j names it whole",
  (given) => expect(formatOfWord(formatWord(given))).toEqual(given),
);

test("this version knows the runs that it starts", () => expect(KNOWN_FORMATS).toContain(formatWord(presentFormat())));
