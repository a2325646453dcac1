import { runAllProofs } from "../../prove/all";
import { codeVersion } from "../../prove/code-version";
import { defineProof } from "../../prove/frame/proof";

const proof = (name: string, breaks: boolean) =>
  defineProof({
    name,
    promise: `${name} | holds`,
    sizes: { tries: { kind: "count", about: "tries", quick: 2, normal: 4 } },
    needsServer: () => false,
    exercised: () => ["tries_made"],
    load: async () => async (context) => {
      for (const index of context.cases(context.sizes.tries))
        if (breaks) context.violation({ what: "It broke.", where: `try ${index}`, case: index, smallest: index });
      return { tries_made: context.sizes.tries };
    },
  });

const CODE = { version: "1.2.3", commit: "abc" };

test("all proofs run, and their table has commit, seed and figures", async () => {
  const told: string[] = [];
  const overview = await runAllProofs([proof("one", false), proof("two", true)], CODE, {
    seed: 9,
    quick: true,
    progress: (name, done, total) => told.push(`${name} ${done}/${total}`),
  });
  expect(overview).toMatchObject({ name: "all", ok: false, seed: 9, ...CODE });
  expect(overview.proofs.map(({ name, ok }) => [name, ok])).toEqual([
    ["one", true],
    ["two", false],
  ]);
  expect(overview.table).toContain("Version 1.2.3, commit abc, seed 9: `navigator prove all --seed 9 --quick`");
  expect(overview.table).toMatch(/\| `one` \| one \\\| holds \| kept \| 2 tries made \| [\d.]+ s \|/);
  expect(overview.table).toMatch(/\| `two` \| two \\\| holds \| \*\*broken\*\* \| 2 tries made, 2 violations \|/);
  expect(told).toContain("two 1/2");
});

test("an overview of proofs that all hold is ok", async () =>
  expect((await runAllProofs([proof("one", false)], CODE, { seed: 1 })).ok).toBe(true));

test("the version of this repository's code has a commit", () =>
  expect(codeVersion()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+/),
    commit: expect.stringMatching(/^[0-9a-f]{10}\+?$/),
  }));
