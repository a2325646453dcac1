import { mergeParallel, TraceRecorder } from "../../../../src/core/history/trace/recorder";

/** The recorder for application code (agent reference, section 13). */
function clock(start = 1000) {
  let at = start;
  let ids = 0;
  return {
    now: () => at,
    pass: (ms: number) => {
      at += ms;
    },
    newId: () => `id${++ids}`,
  };
}

test("entries keep their order and their times", () => {
  const time = clock();
  const tracer = new TraceRecorder({ ...time, parent_id: "p" });
  tracer.addEntry("llm_call", { turn: 1 });
  time.pass(50);
  tracer.addEntry("llm_response", { tokens: { input: 10, output: 5, total_cost: 0.25 } }, { duration_ms: 50 });
  tracer.addEntry("tool_call", { name: "find" }, { at: 1010 });
  time.pass(50);
  expect(JSON.parse(JSON.stringify(tracer.finalize()))).toEqual({
    trace_id: "id1",
    parent_id: "p",
    started_at: 1000,
    finalized_at: 1100,
    entries: [
      { type: "llm_call", timestamp: 1000, data: { turn: 1 } },
      {
        type: "llm_response",
        timestamp: 1050,
        duration_ms: 50,
        data: { tokens: { input: 10, output: 5, total_cost: 0.25 } },
      },
      { type: "tool_call", timestamp: 1010, data: { name: "find" } },
    ],
  });
});

test("a finalized trace accepts no entries, and its duration stays", () => {
  const time = clock();
  const tracer = new TraceRecorder(time);
  time.pass(7);
  tracer.finalize();
  time.pass(7);
  expect(tracer.finalize().finalized_at).toBe(1007);
  expect(tracer.totalDuration()).toBe(7);
  expect(() => tracer.addEntry("return")).toThrow(/finalized/);
});

test("an unknown type and a limit below one are refused", () => {
  expect(() => new TraceRecorder(clock()).addEntry("lunch" as "return")).toThrow(/"lunch".*llm_call/);
  expect(() => new TraceRecorder({ ...clock(), max_entries: 0 })).toThrow(RangeError);
});

test("beyond the limit the oldest entries are dropped, and counted", () => {
  const tracer = new TraceRecorder({ ...clock(), max_entries: 2 });
  for (const turn of [1, 2, 3]) tracer.addEntry("llm_call", { turn });
  expect(tracer.entries.map(({ data }) => data.turn)).toEqual([2, 3]);
  expect(tracer.toJSON()).toMatchObject({ dropped: 1 });
});

test("usage is the sum of the replies; entries are found by type and duration", () => {
  const tracer = new TraceRecorder(clock());
  tracer.addEntry("llm_response", { tokens: { input: 10, output: 5 } }, { duration_ms: 30 });
  tracer.addEntry("llm_response", {}, { duration_ms: 40 });
  tracer.addEntry("tool_result", { name: "slow" }, { duration_ms: 35 });
  tracer.addEntry("tool_call");
  expect(tracer.aggregateUsage()).toEqual({
    llm_requests: 2,
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    total_cost: 0,
  });
  expect(tracer.findByType("tool_result").map(({ data }) => data)).toEqual([{ name: "slow" }]);
  expect(tracer.slowestEntries(2).map(({ duration_ms }) => duration_ms)).toEqual([40, 35]);
  expect(tracer.slowestEntries(9)).toHaveLength(3);
});

test("a nested call has its parent, time and usage; its usage is not counted twice", () => {
  const time = clock();
  const tracer = new TraceRecorder(time);
  time.pass(10);
  const nested = new TraceRecorder({ ...time, parent_id: tracer.trace_id });
  nested.addEntry("llm_response", { tokens: { input: 3, output: 1 } });
  time.pass(20);
  tracer.recordNestedCall(nested.finalize(), { tool: "help" });
  expect(tracer.entries).toEqual([
    {
      type: "nested_call",
      timestamp: 1010,
      duration_ms: 20,
      data: { tool: "help", trace_id: "id2", usage: expect.objectContaining({ total_tokens: 4 }) },
    },
  ]);
  expect(tracer.aggregateUsage().total_tokens).toBe(0);
});

test("parallel recorders are merged in order of time", () => {
  const time = clock();
  const parent = new TraceRecorder(time).addEntry("program_start");
  time.pass(10);
  const one = new TraceRecorder(time).addEntry("llm_call");
  time.pass(10);
  const two = new TraceRecorder(time).addEntry("llm_call");
  one.addEntry("return");
  time.pass(10);
  one.finalize();
  two.addEntry("llm_call");
  time.pass(10);
  two.finalize();
  parent.addEntry("program_end");
  expect(mergeParallel(parent, [one, two])).toMatchObject({
    trace_id: "id1",
    agent_count: 2,
    parallel: true,
    wall_time_ms: 30,
    total_turns: 3,
    entries: [
      { trace_id: "id1", type: "program_start" },
      { trace_id: "id2", type: "llm_call" },
      { trace_id: "id2", type: "return" },
      { trace_id: "id3", type: "llm_call" },
      { trace_id: "id3", type: "llm_call" },
      { trace_id: "id1", type: "program_end" },
    ],
  });
  expect(mergeParallel(parent, [])).toMatchObject({ agent_count: 0, wall_time_ms: 0 });
});
