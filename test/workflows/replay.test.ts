import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DeterminismViolationError } from "@temporalio/workflow";
import { type ExportedHistory, readRecorded, recordedFiles } from "../support/recorded";
import { expectProjectionsToEqual, replay, replayElsewhere } from "../support/replay/replay";
import { fenced } from "../support/rig";

/**
 * Each behaviour as a recorded history. Code that cannot replay one would leave running missions stuck at the next
 * deploy: such a change needs a flag, not a new recording (docs/changing-workflow-code.md).
 */
const recorded = recordedFiles();

/** All of test/workflows and what it shares, where each history has the name of the case or scenario that wrote it. */
const testsText = ["workflows", "support"]
  .flatMap((folder) => {
    const at = path.join(__dirname, "..", folder);
    return readdirSync(at, { recursive: true, encoding: "utf8" }).map((file) => path.join(at, file));
  })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

/** The beginnings of a name as a template in code has them: `invalid-input-${`. */
const templates = (name: string): string[] =>
  [...name.matchAll(/-/g)]
    .map(({ index }) => `\`${name.slice(0, index + 1)}\${`)
    .filter((one) => one.split("-").length > 2);

test("each history has a case that writes it", () => {
  /** `approval-edit-2.json` is a second history of the case `approval-edit`, or that of a scenario with this name. */
  const cases = recorded.map((file) => file.replace(/\.json$/, ""));
  const names = (one: string) => [one, one.replace(/-\d+$/, "")];
  // A scenario's history begins with its kind.
  const bare = (name: string) => [name, name.replace(/^(agent|plan)-/, "")];
  const isWritten = (name: string) =>
    testsText.includes(`"${name}"`) || templates(name).some((one) => testsText.includes(one));
  expect(cases.filter((one) => !names(one).flatMap(bare).some(isWritten))).toEqual([]);
});

// Both at once: these replays are in the process of this run, and those below in another one.
let elsewhere: Promise<number>;
beforeAll(() => {
  elsewhere = replayElsewhere(recorded.map(readRecorded));
  // The test below reports it.
  elsewhere.catch(() => {});
});

test.each(recorded)("%s replays, and its projections still give the workflow's answers", async (file) => {
  const history = readRecorded(file);
  // To see the workflow's answers is to replay it. What has none is only replayed.
  if ((await expectProjectionsToEqual(history)) === 0) await replay(history);
});

test("every recording replays in another process with different hashing and ordering", async () =>
  expect(await elsewhere).toBe(recorded.length));

/** The first activity's result, which is a reply of the model. */
const REPLY =
  /(?<="activityTaskCompletedEventAttributes":\{"result":\{"payloads":\[\{"metadata":\{[^}]*\},"data":")[^"]+/;

function otherReply(data: string): string {
  const result = JSON.parse(Buffer.from(data, "base64").toString()) as { reply: { content: string } };
  const reply = { ...result.reply, content: fenced("(return 1)") };
  return Buffer.from(JSON.stringify({ ...result, reply })).toString("base64");
}

describe("a history that the code would not write is noticed", () => {
  test.each([
    {
      what: "another activity",
      change: (text: string) => text.replaceAll('"runCalls"', '"callOther"'),
      error: DeterminismViolationError,
    },
    {
      what: "another answer of the model",
      change: (text: string) => text.replace(REPLY, otherReply),
      error: /Nondeterminism: an activity called charge_card .*, and the program ends without this call/,
    },
  ])("$what", async ({ change, error }) => {
    const text = JSON.stringify(readRecorded("one-turn.json"));
    // Not `toBe`: it would print both.
    expect(change(text) === text).toBe(false);
    const tampered = JSON.parse(change(text)) as ExportedHistory;
    await expect(replay(tampered)).rejects.toThrow(error);
  });
});
