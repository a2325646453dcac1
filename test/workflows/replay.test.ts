import { DeterminismViolationError } from "@temporalio/workflow";
import { type ExportedHistory, readRecorded, recordedFiles } from "../support/recorded";
import { expectProjectionsToEqual, replay, replayElsewhere } from "../support/replay/replay";
import { fenced } from "../support/rig";

/**
 * Histories that earlier versions wrote. Code that cannot replay one would leave running missions stuck at the next
 * deploy: such a change needs `patched`, not a new recording.
 */
const recorded = recordedFiles();

test("recordings of every kind exist", () => expect(recorded.length).toBeGreaterThan(200));

test.each(recorded)("%s replays, and its projections still give the workflow's answers", async (file) => {
  const history = readRecorded(file);
  await replay(history);
  await expectProjectionsToEqual(history);
});

test("every recording replays in other processes with different hashing and ordering", async () => {
  expect(await replayElsewhere(recorded.map(readRecorded))).toBe(2 * recorded.length);
});

/** The first activity's result, which is a reply of the model. */
const REPLY =
  /(?<="activityTaskCompletedEventAttributes":\{"result":\{"payloads":\[\{"metadata":\{[^}]*\},"data":")[^"]+/;

function otherReply(data: string): string {
  const reply = JSON.parse(Buffer.from(data, "base64").toString()) as { content: string };
  return Buffer.from(JSON.stringify({ ...reply, content: fenced("(return 1)") })).toString("base64");
}

describe("a history that the code would not write is noticed", () => {
  test.each([
    { what: "another activity", change: (text: string) => text.replaceAll('"callTool"', '"callOther"') },
    { what: "another answer of the model", change: (text: string) => text.replace(REPLY, otherReply) },
  ])("$what", async ({ change }) => {
    const text = JSON.stringify(readRecorded("one-turn.json"));
    expect(change(text)).not.toBe(text);
    const tampered = JSON.parse(change(text)) as ExportedHistory;
    await expect(replay(tampered)).rejects.toBeInstanceOf(DeterminismViolationError);
  });
});
