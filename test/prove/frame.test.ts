import { defineProof, type Proof } from "../../prove/frame/proof";
import { Random } from "../../prove/frame/random";
import { MAX_VIOLATIONS, ProofReport } from "../../prove/frame/report";
import { type ProofRun, runProof } from "../../prove/frame/run-proof";
import { shorterLists, shrink, smallerNumbers } from "../../prove/frame/shrink";
import { readSizes } from "../../prove/frame/sizes";

const SIZES = {
  missions: { kind: "count", about: "missions", quick: 3, normal: 30, max: 1_000 },
  cross: { kind: "share", about: "asked for by another mission", quick: 0, normal: 0.2 },
  kills: { kind: "count", about: "kills", quick: 0, normal: 0, min: 0 },
  victims: {
    kind: "names",
    about: "what is killed",
    of: ["worker", "server"],
    quick: ["worker"],
    normal: ["worker", "server"],
  },
} as const;

/** A proof whose promise is that no mission has one of the numbers `broken`. */
const proofOf = (broken: readonly number[], figures: { [name: string]: number } = {}) => {
  const body: Proof<typeof SIZES> = async (context) => {
    let missions = 0;
    for (const index of context.cases(context.sizes.missions)) {
      missions += 1;
      if (broken.includes(index))
        context.violation({ what: "It broke.", where: `mission ${index}`, case: index, smallest: [index] });
    }
    return { missions, ...figures };
  };
  return defineProof({
    name: "sample",
    promise: "no mission breaks",
    sizes: SIZES,
    needsServer: ({ kills }) => kills > 0,
    exercised: () => ["missions"],
    load: async () => body,
  });
};
const run = (broken: readonly number[], options: Partial<ProofRun> = {}, figures?: { [name: string]: number }) =>
  runProof(proofOf(broken, figures), { seed: 7, quick: true, ...options });

describe("a report", () => {
  test("is ok without violations, and names sizes, seed and figures", async () => {
    const report = await run([]);
    expect(report).toEqual({
      name: "sample",
      promise: "no mission breaks",
      ok: true,
      seed: 7,
      sizes: { missions: 3, cross: 0, kills: 0, victims: ["worker"] },
      took_ms: expect.any(Number),
      figures: { missions: 3 },
      violations: [],
    });
    expect(ProofReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  test("has for a violation the seed, the smallest case and the command that runs just that", async () => {
    const report = await run([1], { sizes: { missions: "4" } });
    expect(report).toMatchObject({ ok: false, figures: { missions: 4, violations: 1 } });
    expect(report.violations).toEqual([
      {
        what: "It broke.",
        where: "mission 1",
        seed: 7,
        case: 1,
        smallest: [1],
        command: "navigator prove sample --seed 7 --quick --missions 4 --case 1",
      },
    ]);
  });

  test("of one case runs that case alone", async () => {
    expect(await run([1], { only: 1 })).toMatchObject({ ok: false, figures: { missions: 1 } });
    expect(await run([1], { only: 2 })).toMatchObject({ ok: true, figures: { missions: 1 } });
  });

  test("lists a few of many violations and counts all of them", async () => {
    const report = await run(
      Array.from({ length: 100 }, (_, i) => i),
      { sizes: { missions: "100" } },
    );
    expect(report.violations).toHaveLength(MAX_VIOLATIONS);
    expect(report.figures.violations).toBeGreaterThanOrEqual(MAX_VIOLATIONS);
  });

  test("of a proof that tried nothing has a violation that says so", async () => {
    const report = await run([], {}, { missions: 0 });
    expect(report).toMatchObject({
      ok: false,
      violations: [{ where: "figures.missions", case: null, smallest: null }],
    });
    expect(report.violations[0]?.what).toContain('"missions" is 0');
    expect(report.violations[0]?.command).toBe("navigator prove sample --seed 7 --quick");
  });
});

test("a server is connected only for sizes that need one", async () => {
  let connected = 0;
  const connect = async () => {
    connected += 1;
    return { address: "127.0.0.1:1", namespace: "default" };
  };
  await run([], { connect });
  expect(connected).toBe(0);
  await run([], { connect, sizes: { kills: "1" } });
  expect(connected).toBe(1);
});

describe("sizes", () => {
  test("are those of quick or normal runs where none are given", () => {
    expect(readSizes(SIZES, {}, false)).toEqual({
      missions: 30,
      cross: 0.2,
      kills: 0,
      victims: ["worker", "server"],
    });
    expect(readSizes(SIZES, { missions: "5", cross: "0.5", victims: "server" }, true)).toEqual({
      missions: 5,
      cross: 0.5,
      kills: 0,
      victims: ["server"],
    });
  });

  test.each([
    { given: { missions: "many" }, says: '--missions must be a whole number, from 1 to 1000, got "many".' },
    { given: { missions: "0" }, says: '--missions must be a whole number, from 1 to 1000, got "0".' },
    { given: { missions: "1.5" }, says: "--missions must be a whole number" },
    { given: { missions: "" }, says: "--missions must be a whole number" },
    { given: { cross: "1.2" }, says: '--cross must be a number, from 0 to 1, got "1.2".' },
    { given: { kills: "-1" }, says: '--kills must be a whole number, 0 or more, got "-1".' },
    {
      given: { victims: "worker,cat" },
      says: '--victims takes names separated by commas, of: worker, server. Got "cat".',
    },
    { given: { victims: "" }, says: 'Got "".' },
  ])("$given are refused", async ({ given, says }) => {
    await expect(run([], { sizes: given })).rejects.toMatchObject({
      code: "bad_usage",
      exitCode: 2,
      message: expect.stringContaining(says),
    });
  });

  test("a project is refused by a proof that cannot run on one", () =>
    expect(run([], { project: { folder: ".", tools: [] } })).rejects.toMatchObject({
      code: "bad_usage",
      details: { path: "--project" },
      exitCode: 2,
    }));
});

describe("random choices", () => {
  const numbers = (random: Random) => random.list(20, () => random.int(0, 1_000_000));

  test("are the same for the same seed and case, and others otherwise", () => {
    expect(numbers(Random.ofCase(5, 3))).toEqual(numbers(Random.ofCase(5, 3)));
    expect(numbers(Random.ofCase(5, 3))).not.toEqual(numbers(Random.ofCase(5, 4)));
    expect(numbers(Random.ofCase(5, 3))).not.toEqual(numbers(Random.ofCase(6, 3)));
  });

  test("stay in their range and reach both ends", () => {
    const random = new Random(1);
    const dice = random.list(600, () => random.int(1, 6));
    expect([...new Set(dice)].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(random.shuffled([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
    expect(() => random.pick([])).toThrow("nothing to pick");
  });
});

describe("shrinking", () => {
  test("a list becomes the items that matter", async () => {
    const list = Array.from({ length: 50 }, (_, i) => i);
    const fails = (some: number[]) => some.includes(17) && some.includes(40);
    expect(await shrink(list, shorterLists, fails)).toEqual([17, 40]);
  });

  test("a number becomes the smallest that fails", async () => {
    expect(await shrink(1_000, smallerNumbers, async (n) => n >= 123)).toBe(123);
  });

  test("it ends when its tries are used", async () => {
    let tries = 0;
    const forever = function* (n: number) {
      yield n + 1;
    };
    await shrink(0, forever, () => ++tries > 0, 25);
    expect(tries).toBe(25);
  });
});
