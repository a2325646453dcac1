import { run } from "../run/mission";

/** What the model reads first (agent reference, sections 8.1, 8.2 and 6). */
const opening = async (mission: Parameters<typeof run>[0]) => {
  const { heard, systems } = await run(mission);
  return { user: heard[0] as string, system: systems[0] as string };
};
const says = ["(return nil)"];

test("the first message has tools, data, expected output, limit, mission and progress, in this order", async () => {
  const { user } = await opening({
    agent: {
      prompt: "Find {{query}} please",
      signature: "(query :string, max-hits :int?) -> {hits [:string], score :float}",
      tools: {
        "search-all": { signature: "(q :string, limit :int?) -> [:string]", description: "Full text" },
        ping: null,
      },
      max_tool_calls: 3,
      plan: ["Search"],
      context_descriptions: { query: "What to look for", extra: "Not asked for" },
      field_descriptions: { score: "0 to 1" },
    },
    context: { query: "cat", max_hits: 5, extra: [1, 2, 3, 4], _token: "s3cret" },
    says,
  });
  expect(user).toBe(`;; === tools ===
tool/ping(...)
tool/search-all(q string, limit int?) -> [string]  ; Full text
;; Call with named arguments: (tool/search-all {:q ... :limit ...})

;; === data/ ===
data/_token                   ; string, [Hidden] [Firewalled]
data/extra                    ; list[4], sample: [1 2 3 ...] (4 items, showing first 3) -- Not asked for
data/max_hits                 ; int?, sample: 5
data/query                    ; string, sample: "cat" -- What to look for

# Expected Output
{hits [:string], score :float}
- score: 0 to 1
Example: (return {:hits ["..."] :score 1.5})

;; At most 3 tool calls a turn.

<mission>
Find ~{data/query} please
</mission>

## Progress
- [ ] Search

Report with (step-done "<id>" "<summary>"). Ids: 1`);
});

test("a bare mission has no empty part", async () => {
  const { user } = await opening({ agent: { prompt: "Wait." }, says });
  expect(user).toBe(";; No tools available\n\n<mission>\nWait.\n</mission>");
});

test("a single-call agent has its mission in the message and everything else in the system prompt", async () => {
  const { user, system } = await opening({
    agent: { prompt: "Add {{a}} and {{b}}", signature: "(a :int, b :int) -> :int", max_turns: 1 },
    context: { a: 1, b: 2 },
    says,
  });
  expect(user).toBe("Add 1 and 2");
  expect(system).toContain("data/a ");
  expect(system).toContain("# Expected Output");
  expect(system).not.toContain("tool/get-user");
  expect(system).not.toContain("println` (about");
});

describe("data in the inventory", () => {
  test.each([
    ["text", "string", '"text"'],
    [7, "integer", "7"],
    [1.5, "float", "1.5"],
    [true, "boolean", "true"],
    [null, "nil", "nil"],
    [{ a: 1, _b: "s3cret" }, "map[2]", '{"a" 1}'],
    [[], "list[0]", "[]"],
    ["x".repeat(200), "string", `"${"x".repeat(76)}...`],
    ["two\nlines", "string", '"two\\nlines"'],
  ])("%j is a %s, sample %s", async (value, type, sample) => {
    const { user } = await opening({ context: { a: value }, says });
    const line = user.split("\n").find((one) => one.startsWith("data/a "));
    expect(line).toMatch(/^data\/a {24}; /);
    expect(line).toContain(`; ${type}, sample: ${sample}`);
    expect(user).not.toContain("s3cret");
  });
});

describe("the system prompt", () => {
  const card = "## Where it is not Clojure";
  test.each([
    { name: "the built-in one", system_prompt: undefined, has: ["<role>", card, "<output_format>"], lacks: [] },
    { name: "a text in its place", system_prompt: "Only this.", has: ["Only this."], lacks: ["<role>", card] },
    {
      name: "a map around it",
      system_prompt: { prefix: "BEFORE", suffix: "AFTER" },
      has: ["BEFORE\n\n<role>", "</output_format>\n\nAFTER"],
      lacks: [],
    },
    {
      name: "parts of its own",
      system_prompt: { language_spec: "Speak Lisp.", output_format: "One block." },
      has: [
        "<language_reference>\nSpeak Lisp.\n</language_reference>",
        "<output_format>\nOne block.\n</output_format>",
      ],
      lacks: [card],
    },
  ])("$name", async ({ system_prompt, has, lacks }) => {
    const { system } = await opening({ agent: system_prompt === undefined ? {} : { system_prompt }, says });
    for (const part of has) expect(system).toContain(part);
    for (const part of lacks) expect(system).not.toContain(part);
  });

  test.each([
    { agent: {}, loop: true, tools: false, journal: false },
    { agent: { max_turns: 1 }, loop: false, tools: false, journal: false },
    { agent: { max_turns: 1, retry_turns: 1 }, loop: true, tools: false, journal: false },
    { agent: { tools: ["a"] }, loop: true, tools: true, journal: false },
    { agent: { plan: ["a"] }, loop: true, tools: false, journal: true },
    { agent: { journaling: true }, loop: true, tools: false, journal: true },
  ])(
    "$agent teaches the loop: $loop, tools: $tools, the journal: $journal",
    async ({ agent, loop, tools, journal }) => {
      const { system } = await opening({ agent, says });
      expect(system.includes("You work in turns")).toBe(loop);
      expect(system.includes("The value of the last expression is the answer")).toBe(!loop);
      expect(system.includes("A tool takes named arguments")).toBe(tools);
      expect(system.includes("## Journal")).toBe(journal);
      expect(system).not.toMatch(/\[\[\w+\n|\w+\]\]\n/);
    },
  );

  test("thinking allows a paragraph before the block", async () => {
    expect((await opening({ agent: { thinking: true }, says })).system).toContain("You may reason");
    expect((await opening({ says })).system).not.toContain("You may reason");
  });

  test("is cut at the agent's limit, with a note", async () => {
    const { system } = await opening({ agent: { prompt_limit: { max_chars: 50 } }, says });
    expect(system).toMatch(/^[\s\S]{50}\n\n\(The system prompt was cut to 50 characters\.\)$/);
  });
});

test("a hidden value never appears in a prompt, whatever the program does with its map", async () => {
  const secret = "s3cret-4711";
  const { host, step } = await run({
    agent: {
      prompt: "Use {{user}} with {{_key}} {{user._key}}",
      signature: "(user :map, _key :string) -> {ok :bool, _raw :string}",
      max_turns: 6,
    },
    context: { user: { name: "Anna", _key: secret }, _key: secret },
    journal: { given: { name: "b", _key: secret } },
    tools: { login: { ok: true, _raw: secret } },
    says: [
      "(do (def u data/user) (println u) (println [u {:in u}]) (println (str u)) (println (pr-str u)))",
      '(do (task "login" (tool/login {:key data/_key})) (println *1))',
      "(return {:_raw 1 :user data/user})",
      "(return {:ok true :_raw data/_key})",
    ],
  });
  expect(step.return).toEqual({ ok: true, _raw: secret });
  expect(host.toolCalls[0]?.args).toEqual({ key: secret });
  expect(JSON.stringify(host.sent)).not.toContain(secret);
  expect(JSON.stringify(host.sent)).toContain("Anna");
});
