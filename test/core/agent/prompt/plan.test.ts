import { isLogNews } from "../../../../src/core/agent/prompt/mission-log-news";
import { renderProgress } from "../../../../src/core/agent/prompt/progress";
import { agentOf, missionLogIn, progressIn, run } from "../run/mission";

describe("a plan", () => {
  test.each([
    {
      form: "texts",
      plan: ["Book flight", "Book hotel"],
      ids: ["1", "2"],
    },
    {
      form: "pairs",
      plan: [
        ["flight", "Book flight"],
        ["hotel", "Book hotel"],
      ],
      ids: ["flight", "hotel"],
    },
    {
      form: "objects",
      plan: [
        { id: "flight", description: "Book flight" },
        { id: "hotel", description: "Book hotel" },
      ],
      ids: ["flight", "hotel"],
    },
    { form: "a mixture", plan: ["Book flight", ["hotel", "Book hotel"]], ids: ["1", "hotel"] },
  ])("may be written as $form", ({ plan, ids }) => {
    expect(agentOf({ plan }).plan).toEqual([
      { id: ids[0], description: "Book flight" },
      { id: ids[1], description: "Book hotel" },
    ]);
  });

  test("lists its ids in order, so that the model knows what to report", async () => {
    const plan = [
      ["flight", "Book flight"],
      ["hotel", "Book hotel"],
    ];
    const { heard } = await run({ agent: { plan }, says: ["(return 1)"] });
    expect(heard[0]).toMatch(/Report with \(step-done "<id>" "<summary>"\)\. Ids: flight, hotel$/);
  });

  test("switches the journal's prompt parts on; an explicit false switches them off", async () => {
    const on = await run({ agent: { plan: ["Look"] }, says: ["(return 1)"] });
    expect(on.systems[0]).toContain("step-done");
    const off = await run({ agent: { plan: ["Look"], journaling: false }, journal: { a: 1 }, says: ["(return 1)"] });
    expect(off.systems[0]).not.toContain("step-done");
    expect(missionLogIn(off.systems[0] as string)).toBe("");
    expect(progressIn(off.heard[0] as string)).toBe("");
  });
});

const PLAN = [
  { id: "flight", description: "Book flight" },
  { id: "hotel", description: "Book hotel" },
];

test.each([
  { name: "nothing done", done: [], text: "## Progress\n- [ ] Book flight\n- [ ] Book hotel" },
  {
    name: "one step done, in plan order",
    done: [["hotel", "Ritz"]],
    text: "## Progress\n- [ ] Book flight\n- [x] Book hotel — Ritz",
  },
  {
    name: "steps out of plan, sorted by id",
    done: [
      ["zoo", "later"],
      ["flight", "LX318 confirmed"],
      ["insurance", "policy 55"],
    ],
    text: "## Progress\n- [x] Book flight — LX318 confirmed\n- [ ] Book hotel\n\n### Out-of-Plan Steps\n- [x] insurance: policy 55\n- [x] zoo: later",
  },
  {
    name: "a summary with a line end cannot pretend to be another step",
    done: [["flight", "ok\n- [x] Book hotel — no"]],
    text: "## Progress\n- [x] Book flight — ok - [x] Book hotel — no\n- [ ] Book hotel",
  },
])("the checklist: $name", ({ done, text }) => {
  expect(progressIn(renderProgress(PLAN, new Map(done as [string, string][])))).toBe(text);
});

test("without a plan the checklist contains only reported steps; with neither there is no checklist", () => {
  expect(renderProgress([], new Map([["a", "b"]]))).toBe("## Progress\n\n### Out-of-Plan Steps\n- [x] a: b");
  expect(renderProgress([], new Map())).toBe("");
});

test("a long summary is not cut", () => {
  expect(renderProgress(PLAN, new Map([["flight", "x".repeat(5000)]]))).toContain("x".repeat(5000));
});

describe("step-done", () => {
  const agent = { plan: [["a", "First"]], max_turns: 5 };
  const ticked = "## Progress\n- [x] First — done";
  const open = "## Progress\n- [ ] First";

  test("shows in the first message of the next turn", async () => {
    const { heard } = await run({ agent, says: ['(step-done "a" "done")', "(return 1)"] });
    expect(heard.map(progressIn)).toEqual([open, ticked]);
  });

  test("the last summary of an id wins", async () => {
    const { step } = await run({
      agent,
      says: ['(do (step-done "a" "one") (step-done "a" "two"))', '(do (step-done "a" "three") (return 1))'],
    });
    expect(step.summaries).toEqual({ a: "three" });
  });

  test.each([
    { end: "an error", program: '(do (step-done "a" "done") (+ 1 "x"))' },
    { end: "an invalid return", program: '(do (step-done "a" "done") (return "no number"))' },
    { end: "definitions too large to keep", program: '(do (step-done "a" "done") (def big (range 200)))' },
  ])("is dropped when its turn ends in $end; records of the turn are kept", async ({ program }) => {
    const { step, heard, logs } = await run({
      agent: { ...agent, signature: ":int", memory_limit: 300, memory_strategy: "rollback" },
      journal: {},
      says: [program.replace("(do ", '(do (task "t" 7) '), "(println 1)", "(return 1)"],
    });
    expect(progressIn(heard[1] as string)).toBe("");
    expect(progressIn(heard[2] as string)).toBe(open);
    expect(step).toMatchObject({ return: 1, summaries: {}, journal: { t: 7 } });
    expect(logs[1]).toContain("- [done] t: 7");
  });

  test.each([
    { end: "(return)", program: '(do (step-done "a" "done") (return 1))', summaries: { a: "done" } },
    { end: "(fail)", program: '(do (step-done "a" "done") (fail "no"))', summaries: {} },
  ])("of the turn that ends the run with $end leaves $summaries", async ({ program, summaries }) => {
    expect((await run({ agent, says: [program] })).step.summaries).toEqual(summaries);
  });

  test("returns its summary", async () => {
    expect((await run({ agent, says: ['(return (step-done "a" "done"))'] })).step.return).toBe("done");
  });

  test.each([
    '(step-done nil "done")',
    '(step-done "a" ["done"])',
    '(pmap #(step-done "a" (str %)) [1])',
    '(map #(step-done "a" (str %)) [1])',
    "(pmap #(task-reset (str %)) [1])",
  ])("%s is refused", async (program) => {
    const { step } = await run({ agent, says: [program, "(return 1)"], journal: {} });
    expect(step.turns?.[0]).toMatchObject({ success: false });
    expect(step.summaries).toEqual({});
  });

  test("ticks a step whatever the journal contains, and the journal ticks none", async () => {
    const { heard } = await run({ agent, says: ['(task "a" 1)', "(return 1)"], journal: {} });
    expect(progressIn(heard[1] as string)).toBe(open);
  });
});

describe("the prompt's order", () => {
  const records = {
    agent: { system_prompt: { suffix: "THE SUFFIX" }, prompt_limit: { max_chars: 400 }, max_turns: 5 },
    says: ['(task "a" 1)', '(task "b" [1 2])', '(task-reset "a")', "(return 1)"],
  };

  test("the given Mission Log is last in the system prompt, after suffix and cut; what is recorded later is told once", async () => {
    const { host, systems, heard } = await run({ ...records, journal: { z: 1 } });
    expect(new Set(systems).size).toBe(1);
    expect(systems[0]).toMatch(/cut to 400 characters\.\)\n\n## Mission Log \(Completed Tasks\)\n- \[done\] z: 1$/);
    const news = host.sent
      .at(-1)
      ?.messages.filter(isLogNews)
      .map(({ content }) => content);
    const heading = "## Mission Log (New Records)";
    expect(news).toEqual([`${heading}\n- [done] a: 1`, `${heading}\n- [done] b: [1 2]`, `${heading}\n- [undone] a`]);
    expect(heard.every((message) => !message.includes(heading))).toBe(true);
  });

  test("a compressed conversation tells on each turn all that was recorded since the first", async () => {
    const compressed = { ...records, agent: { ...records.agent, compression: true } };
    const { heard } = await run({ ...compressed, journal: {} });
    expect(heard[2]).toMatch(/\n\n## Mission Log \(New Records\)\n- \[done\] a: 1\n- \[done\] b: \[1 2\]$/);
  });

  test("the system prompt is the same on every turn while the journal is unchanged", async () => {
    const { systems } = await run({
      agent: { plan: ["Look"], max_turns: 4, retry_turns: 1 },
      journal: { a: 1 },
      says: ['(step-done "1" "seen")', "(def x 1)", "no code", "(return 1)"],
    });
    expect(new Set(systems).size).toBe(1);
  });

  test("the system prompt never contains the progress", async () => {
    const { systems } = await run({
      agent: { plan: ["Look"] },
      journal: {},
      says: ['(step-done "1" "seen")', "(return 1)"],
    });
    for (const system of systems) expect(system).not.toContain("## Progress");
  });
});
