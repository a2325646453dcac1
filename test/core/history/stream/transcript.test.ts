import type { StreamBegin, StreamEntry } from "../../../../src/core/history/stream/entry";
import { Transcript } from "../../../../src/core/history/stream/transcript";

const begin = (attempt_id: string, attempt: number, more: Partial<StreamBegin> = {}): StreamEntry => ({
  type: "begin",
  attempt_id,
  workflow_id: "agent/1",
  run_id: "r1",
  agent: null,
  model: "m",
  turn: 1,
  call: 1,
  attempt,
  at: 0,
  ...more,
});
const text = (attempt_id: string, said: string, from?: number): StreamEntry => ({
  ...{ type: "text", attempt_id, text: said },
  ...(from === undefined ? {} : { from }),
});
const end = (attempt_id: string, length: number): StreamEntry => ({ type: "end", attempt_id, length });

const told = (entries: StreamEntry[]) => {
  const transcript = new Transcript();
  for (const entry of entries) transcript.add(entry);
  return transcript.calls().map(({ text, state, dropped }) => ({ text, state, dropped }));
};

test.each<{ what: string; entries: StreamEntry[]; is: object[] }>([
  {
    what: "an answer in pieces is whole at its end",
    entries: [begin("a", 1), text("a", "Once "), text("a", "upon"), end("a", 9)],
    is: [{ text: "Once upon", state: "whole", dropped: [] }],
  },
  {
    what: "what was written twice, because nobody knew whether it was kept, is heard once",
    entries: [
      ...[begin("a", 1), begin("a", 1), text("a", "Once ", 0), text("a", "Once ", 0), text("a", "Once upon", 0)],
      ...[text("a", " a", 9), end("a", 11), text("a", " a", 9), end("a", 11)],
    ],
    is: [{ text: "Once upon a", state: "whole", dropped: [] }],
  },
  {
    what: "a piece that is missing is noticed",
    entries: [begin("a", 1), text("a", "Once ", 0), text("a", " time", 6), end("a", 11)],
    is: [{ text: "Once  time", state: "lost", dropped: [] }],
  },
  {
    what: "what an attempt had said that was lost is marked",
    entries: [begin("a", 1), text("a", "Onc"), begin("b", 2), text("b", "One"), end("b", 3)],
    is: [{ text: "One", state: "whole", dropped: ["Onc"] }],
  },
  {
    what: "a worker that was believed lost does not mix in",
    entries: [begin("a", 1), text("a", "x"), begin("b", 2), text("a", "y"), text("b", "z"), end("a", 2), end("b", 1)],
    is: [{ text: "z", state: "whole", dropped: ["x"] }],
  },
  {
    what: "an earlier attempt that begins late does not count",
    entries: [begin("b", 2), text("b", "z"), begin("a", 1), text("a", "y"), end("b", 1)],
    is: [{ text: "z", state: "whole", dropped: [] }],
  },
  {
    what: "a gap is noticed",
    entries: [begin("a", 1), text("a", "On"), end("a", 9)],
    is: [{ text: "On", state: "lost", dropped: [] }],
  },
  {
    what: "an attempt that failed is replaced by the next one",
    entries: [
      begin("a", 1),
      text("a", "Hm"),
      { type: "failed", attempt_id: "a", error: "overloaded" },
      begin("b", 2),
      text("b", "Yes"),
      end("b", 3),
    ],
    is: [{ text: "Yes", state: "whole", dropped: ["Hm"] }],
  },
  {
    what: "another workflow of the same id begins anew",
    entries: [begin("a", 3), text("a", "old"), end("a", 3), begin("b", 1, { run_id: "r2" }), text("b", "new")],
    is: [{ text: "new", state: "open", dropped: [] }],
  },
  {
    what: "calls of several runs stand side by side",
    entries: [begin("a", 1), begin("c", 1, { workflow_id: "agent/1/x/1" }), text("c", "child"), text("a", "parent")],
    is: [
      { text: "parent", state: "open", dropped: [] },
      { text: "child", state: "open", dropped: [] },
    ],
  },
  { what: "text without a beginning is left out", entries: [text("z", "?"), end("z", 1)], is: [] },
])("$what", ({ entries, is }) => expect(told(entries)).toEqual(is));
