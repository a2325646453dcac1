import { readFileSync } from "node:fs";
import path from "node:path";
import { EXIT } from "../../src/cli/terminal/exit";
import { type Commands, openPlace, type Place, program } from "../support/cli";
import { until } from "../support/until";

/** `navigator ledger` and `navigator why` on a real server: who approved what, for somebody who has only a file. */

let place: Place;
let worker: Awaited<ReturnType<Place["worker"]>>;
let nav: Commands;
let text: string;

beforeAll(async () => {
  place = await openPlace("ledger");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     module.exports = {
       agents: "./agents",
       script: "./script.json",
       tools: [defineTool({
         name: "refund", approval: { assignees: ["anna"] }, effect: "irreversible", signature: "(cents :int) -> :int",
         run: ({ cents }) => cents,
       })],
     };`,
  );
  place.write("agents/payer.yaml", 'prompt: Refund it.\nsignature: "() -> :int"\ntools: [refund]\n');
  place.write("script.json", { payer: [program("(return (tool/refund {:cents 900}))")] });
  nav = place.here();
  await nav.json(["login", "--as", "anna", "--add"]);
  await nav.json(["people", "service", "ledger", "--may", "sign_ledger"]);
  worker = await place.worker();
  // Whoever asks cannot approve.
  await nav.json(["logout"]);
  await nav.json(["run", "payer", "--id", "pay-1", "--detach"]);
  await nav.json(["login", "--as", "anna"]);
  const asked = ["review", "list", "--mission", "agent/pay-1"];
  const review = await until(async () => (await nav.json(asked)).open[0]?.review, "it asks");
  await nav.json(["review", "decide", review.id, "approve", "--note", "as agreed"]);
  await until(async () => {
    const { stdout } = await nav.run(["ledger", "export", "pay-1"]);
    return stdout.includes('"status":"completed"') && stdout;
  }, "the mission ends");
  await worker.stop();
  const end = await nav.run(["ledger", "export", "pay-1"]);
  expect(end).toMatchObject({ code: EXIT.done, stderr: "" });
  text = end.stdout;
  place.write("ledger.jsonl", text);
});
afterAll(async () => {
  await worker?.stop();
  place.close();
});

const verdictOf = (content: string, ...more: string[]) => {
  place.write("damaged.jsonl", content);
  return nav.json(["ledger", "verify", "damaged.jsonl", ...more], { code: EXIT.failed });
};
const codes = (verdict: { problems: { code: string }[] }) => verdict.problems.map(({ code }) => code);

describe("navigator ledger export", () => {
  test("needs no worker, and prints JSON Lines, with --json as well", async () => {
    // Each line has the digest of the line before, and the first one the clock of whoever exported it.
    const linesOf = (content: string) =>
      content
        .trimEnd()
        .split("\n")
        .map((line) => {
          const { before: _, made_at: __, ...rest } = JSON.parse(line);
          return rest;
        });
    const lines = linesOf(text);
    expect(lines.map(({ line }) => line)).toEqual(["ledger", "link", "link", "link", "link", "head", "head", "end"]);
    const kinds = lines.flatMap(({ link }) => link?.kind ?? []);
    expect(kinds).toEqual(["review", "decision", "effect", "effect"]);
    const { stdout } = await nav.run(["ledger", "export", "pay-1", "--json"]);
    expect(linesOf(stdout)).toEqual(lines);
  });

  test("refuses a mission that is not there", async () => {
    expect(await nav.refused(["ledger", "export", "no-such-mission"])).toMatchObject({ code: "not_found" });
  });
});

describe("navigator ledger verify", () => {
  test("says that it holds, who decided with which words, and who signed its end", async () => {
    const { code, stdout } = await nav.run(["ledger", "verify", "ledger.jsonl", "--people", "people.yaml"]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(/^The ledger is valid: agent\/pay-1\n/);
    expect(stdout).toMatch(/agent\/pay-1 ends at \d+:[\w-]{43}, signed by ledger\n/);
    expect(stdout).toMatch(/anna \(signed\) {2}approve {2}Call refund\? \{"cents":900\}: "as agreed"/);
    expect(stdout).not.toContain("The people are those of the export itself");
  });

  test("without people of the reader's own says whose it believed", async () => {
    const { notes, ok } = await nav.json(["ledger", "verify", "ledger.jsonl"]);
    expect({ ok, notes }).toEqual({ ok: true, notes: [expect.stringContaining("those of the export itself")] });
  });

  test("reads standard input", async () => {
    const end = await nav.run(["ledger", "verify", "-"], { input: text });
    expect(end).toMatchObject({ code: EXIT.done, stdout: expect.stringContaining("The ledger is valid") });
  });

  test("finds a changed byte, and says where", async () => {
    const line = text.split("\n").findIndex((one) => one.includes("as agreed")) + 1;
    const verdict = await verdictOf(text.replace("as agreed", "as agreeD"));
    expect(verdict).toMatchObject({ ok: false, problems: [{ line, code: "line_changed" }] });
    const { code, stdout } = await nav.run(["ledger", "verify", "damaged.jsonl"]);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(new RegExp(`^The ledger is not valid\n +line ${line} +line_changed: Line ${line} is not`));
  });

  test("finds a tail that was cut off, by lines or by bytes", async () => {
    const lines = text.trimEnd().split("\n");
    expect(codes(await verdictOf(`${lines.slice(0, -1).join("\n")}\n`))).toEqual(["missing_entry"]);
    expect(codes(await verdictOf(text.slice(0, -20)))).toContain("missing_entry");
  });

  test("finds a ledger that is shorter than the reader knows, and another head", async () => {
    const { ends } = await nav.json(["ledger", "verify", "ledger.jsonl"]);
    const [{ seq, head }] = ends;
    expect(await nav.json(["ledger", "verify", "ledger.jsonl", "--head", `${seq}:${head}`])).toMatchObject({
      ok: true,
    });
    for (const known of [`${seq + 1}:${head}`, `${seq}:${"A".repeat(43)}`])
      expect(codes(await verdictOf(text, "--head", known))).toEqual(["chain_shorter"]);
    const refused = await nav.refused(["ledger", "verify", "ledger.jsonl", "--head", "12"]);
    expect(refused).toMatchObject({ code: "bad_usage", hint: expect.stringContaining("NavigatorLedgerHead") });
  });

  test("with people who do not have the key, the decision does not hold", async () => {
    const own = readFileSync(path.join(place.folder, "people.yaml"), "utf8");
    const { people } = await nav.json(["people", "list"]);
    const kid = people.anna.keys[0].kid;
    await nav.json(["people", "key", "anna", "revoke", kid]);
    const revoked = readFileSync(path.join(place.folder, "people.yaml"), "utf8");
    place.write("people.yaml", own);
    place.write("others.yaml", revoked.replace(/revoked: .*/, "revoked: 2020-01-01T00:00:00Z"));
    const verdict = await verdictOf(text, "--people", "others.yaml");
    expect(codes(verdict)).toContain("key_revoked");
    expect(await nav.refused(["ledger", "verify", "ledger.jsonl", "--people", "agents/payer.yaml"])).toMatchObject({
      code: "bad_project",
      details: { path: "agents/payer.yaml" },
    });
  });

  test("refuses people who are not there: with nobody the ledger would look forged", async () => {
    place.write("nobody.yaml", "people: {}\n");
    const withPeople = (file: string) => nav.refused(["ledger", "verify", "ledger.jsonl", "--people", file]);
    expect(await withPeople("no-such-file.yaml")).toMatchObject({
      code: "not_found",
      details: { path: "no-such-file.yaml", kind: "file" },
    });
    expect(await withPeople("nobody.yaml")).toMatchObject({
      code: "bad_project",
      message: "nobody.yaml has no people.",
      hint: expect.stringContaining("people.yaml of the project"),
    });
  });

  test("refuses what is no ledger", async () => {
    for (const file of ["script.json", "agents/payer.yaml"])
      expect(await nav.refused(["ledger", "verify", file])).toMatchObject({
        code: "invalid_input",
        message: `${file} is no exported ledger.`,
      });
    expect(await nav.refused(["ledger", "verify", "no-such-file"])).toMatchObject({
      code: "not_found",
      details: { path: "no-such-file", kind: "file" },
    });
  });
});

describe("navigator why", () => {
  test("says the same from the server and from the export", async () => {
    const { effects } = await nav.json(["effects", "pay-1"]);
    const [{ key }] = effects;
    const [[fromServer], [fromFile]] = [
      await nav.json(["why", key]),
      await nav.json(["why", key, "--file", "ledger.jsonl"]),
    ];
    expect(fromServer).toMatchObject({
      effect: { key, tool: "refund", args: { cents: 900 }, answer: 900 },
      ...{ run: "agent/pay-1", turn: 1, program: expect.stringContaining("tool/refund"), missing: [] },
      reviews: [
        { title: "Call refund?", votes: [{ by: "anna", choice: "approve", verified: true, note: "as agreed" }] },
      ],
    });
    for (const field of ["run", "work", "turn", "invocation", "model", "program", "reviews", "budget", "missing"])
      expect(fromFile[field]).toEqual(fromServer[field]);
  });

  test.each([["from the server"], ["from the export", "--file", "ledger.jsonl"]])(
    "finds the effect of a review %s",
    async (_, ...more) => {
      const [reason, ...others] = await nav.json(["why", "agent/pay-1/refund/1", ...more]);
      expect([reason.effect.tool, reason.reviews.map(({ id }: { id: string }) => id), others]).toEqual([
        "refund",
        [expect.stringMatching(/agent\/pay-1\/refund\/1$/)],
        [],
      ]);
      expect(await nav.refused(["why", "agent/pay-1/refund/2", ...more])).toMatchObject({ code: "not_found" });
    },
  );

  test("tells it to people, for the beginning of a key", async () => {
    const { code, stdout } = await nav.run(["why", "agent/pay-1", "--file", "ledger.jsonl"]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(/^refund done\n/);
    expect(stdout).toMatch(/Program\n +\(return \(tool\/refund \{:cents 900\}\)\)/);
    expect(stdout).toMatch(/anna \(verified\) {2}approve: "as agreed"/);
  });

  test("refuses an effect that is not there, and a ledger that was damaged", async () => {
    const refused = await nav.refused(["why", "agent/pay-1~nothing", "--file", "ledger.jsonl"]);
    expect(refused).toMatchObject({ code: "not_found", hint: expect.stringContaining("navigator effects ID --json") });
    expect(await nav.refused(["why", "agent/no-such-mission~x"])).toMatchObject({ code: "not_found" });
    place.write("damaged.jsonl", text.replace("as agreed", "as agreeD"));
    expect(await nav.refused(["why", "agent/pay-1", "--file", "damaged.jsonl"])).toMatchObject({
      code: "invalid_input",
      hint: expect.stringContaining("navigator ledger verify damaged.jsonl"),
    });
  });
});
