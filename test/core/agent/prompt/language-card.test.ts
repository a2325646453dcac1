import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type CardPart, languageCard } from "../../../../src/core/agent/prompt/language-card";
import type { JsonObject } from "../../../../src/core/base/json";
import { BUILTINS } from "../../../../src/core/lisp/builtins";
import { SPECIAL_FORMS } from "../../../../src/core/lisp/compile/special-forms";
import { runLispCase } from "../../../../src/simulate/lisp-batch";
import type { ToolStub } from "../../../../src/simulate/tool-stubs";

/** What models are told is true: the card's programs run, its refusals refuse, its names exist. */
const PARTS: CardPart[] = ["loop", "single", "tools", "journal"];
const card = languageCard(new Set(PARTS), 512);
const echo: ToolStub = { kind: "echo" };
const TOOLS = { "get-user": echo, ping: echo, a: echo, b: echo };

const context: JsonObject = {
  tickets: [{ state: "open", id: 1 }, { state: "closed" }],
  orders: [
    { state: "paid", city: "Bonn", amount: 3, total: 3 },
    { state: "paid", city: "Kiel", amount: 5 },
    { state: "paid", city: "Bonn", amount: 4 },
    { state: "new", city: "Bonn", amount: 9 },
  ],
};
/** What the card's snippets take for given. */
const GIVEN = `(def line {"sku" "tea"}) (def lines [{:sku "tea" :qty 2} {"sku" "tea"  "qty" 3}]) (def route ["a" "b" "c"])
  (def xs [3 1 2]) (def x 4) (def n 2) (def s "id=ab n=42") (def ids [1 2]) (def d (java.util.Date. 0)) (def ks [:a]) (def vs [1])
  (def v 1) (def order {"total" 3}) `;

function answer(program: string): { ok?: unknown; code: unknown } {
  const { ok, fail } = runLispCase({ id: 1, program, context, memory: {}, tools: TOOLS, journal: {} }, () => 0);
  return { ok, code: fail?.details?.code ?? fail?.reason };
}
const given = (program: string) => answer(`${GIVEN}${program}`);

/** The text between single backticks. */
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
const blocks = [...card.matchAll(/```clojure\n([\s\S]*?)```/g)].map((match) => match[1]!.trim());
const prose = card.replace(/```clojure\n[\s\S]*?```/g, "");
const table = prose
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").slice(1, 3).map(quoted) as [string[], string[]]);

test.each([
  { nth: 0, ok: null },
  { nth: 1, last: "(let [{:keys", ok: ["tea", 1, "a", ["c"]] },
  {
    nth: 1,
    last: "(->> data/orders",
    ok: [
      { city: "Bonn", sum: 7 },
      { city: "Kiel", sum: 5 },
    ],
  },
  { nth: 1, last: "(reduce", ok: { tea: 5 } },
  {
    nth: 1,
    last: "(for",
    ok: [0, 2, 4].flatMap((n) => [
      [n, { $kw: "left" }],
      [n, { $kw: "right" }],
    ]),
  },
  { nth: 1, last: "(loop", ok: 720 },
])("block $nth gives the documented result, up to $last", ({ nth, last, ok }) => {
  const forms = blocks[nth]!.split("\n\n");
  const until = last === undefined ? forms.length : forms.findIndex((form) => form.startsWith(last)) + 1;
  expect(until).toBeGreaterThan(0);
  expect(given(forms.slice(0, until).join("\n")).ok).toEqual(ok);
});

test("there are two blocks", () => expect(blocks).toHaveLength(2));

/** Snippets of the prose that are programs, but for those that are named as mistakes. */
const MISTAKES = ["(tool/get-user 7)", "(def count 3)", '(fail {:reason :not_found :message "..."})'];
const TEMPLATES = ["(where :f op v)", "(where [:a :b] op v)"];
const programs = prose
  .split("\n")
  .filter((line) => !line.startsWith("|"))
  .flatMap(quoted)
  .filter((text) => text.startsWith("(") && !MISTAKES.includes(text) && !TEMPLATES.includes(text));

test.each(programs)("%s runs", (program) => expect(given(program)).toMatchObject({ code: undefined }));

test("the prose contains programs", () => expect(programs.length).toBeGreaterThan(20));

test.each([
  ["(tool/get-user 7)", "invalid_tool_args"],
  ["(def count 3)", "cannot_shadow_builtin"],
  ["(fail {:reason :not_found})", "failed"],
  ["#(map #(inc %) %)", "invalid_form"],
  ["(map tool/get-user ids)", "invalid_form"],
  ["(if-let [a 1] a)", "invalid_arity"],
  ["(pmap (fn [i] (return i)) ids)", "pmap_error"],
  ["(pcalls #(fail 1))", "pcalls_error"],
  ['(map (fn [i] (task-reset "a")) ids)', "unsupported_in_parallel"],
  ["(loop [i 0] (if (< i 1001) (recur (inc i)) i))", "loop_limit_exceeded"],
  ["(when false (def k 1)) k", "unbound_var"],
  ["(defn f [] (g)) (f) (defn g [] 1)", "unbound_var"],
  ["(println 1) (nope)", "unbound_var"],
  ["(upper-case nil)", "type_error"],
  ["(defn parse-all [s] s) (def map 1)", "cannot_shadow_builtin"],
])("%s is refused: %s", (program, code) => expect(given(program).code).toBe(code));

test.each([
  ["(count (for [i (range 5000)] i))", 5000],
  ["(loop [i 0] (if (< i 1000) (recur (inc i)) i))", 1000],
  ["(or my-var 0)", 0],
  ["(pmap (fn [i] (def k i)) ids) (or k :lost)", { $kw: "lost" }],
  ["[(:total order) (count nil) (map inc nil) (parse-long nil) (join [nil 1]) (str nil)]", [3, 0, [], null, "1", ""]],
  ["[(sum [1 nil]) (max-by :n [{:n 1} {}])]", [1, { n: 1 }]],
  ["(update-vals {:a 1} inc)", { a: 2 }],
  ['[(extract "id=(\\\\w+)" s) (extract-int "n=(\\\\d+)" s) (extract "(x)" s)]', ["ab", 42, null]],
  ['(task "t" 1) (task "t" 2)', 1],
  ["(:_hidden {:_hidden 1})", 1],
  ["(pr-str {:_hidden 1 :b 2})", "{:b 2}"],
  ["(defonce n 7) n", 2],
  ["(return 1) (nil-is-never-reached)", undefined],
])("%s gives %j", (program, ok) => expect(given(program).ok).toEqual(ok));

/** The left column of the table is an error, or not what one would think; the right column runs. */
const STILL_RUN = new Map<string, unknown>([
  ["(max xs)", [3, 1, 2]],
  ["(take 80 s)", [..."id=ab n=42"]],
  ['(split s "\\\\s+")', ["id=ab n=42"]],
]);

test.each(table.map(([wrong, right]) => ({ wrong, right })))("instead of $wrong, $right", ({ wrong, right }) => {
  for (const text of wrong.flatMap((one) => (/^['(]/.test(one) ? [one] : one.split(" ")))) {
    const program = /^[a-z>-]+$/.test(text) ? `(${text} 1)` : text;
    if (STILL_RUN.has(program)) expect(given(program).ok).toEqual(STILL_RUN.get(program));
    else expect(given(program).code).toEqual(expect.any(String));
  }
  for (const text of right.filter((one) => /^[([]/.test(one))) expect(given(text).code).toBeUndefined();
});

test("the table has a row for each trap", () => expect(table.length).toBeGreaterThan(10));

test("every listed name exists, and few builtins are unlisted", () => {
  const lists = prose
    .split("\n")
    .filter((line) => /^- (Special|Predic|Aggr|Sequ|Maps|Numbers|Regex|Tests|Sets)/.test(line));
  const told = new Set(lists.flatMap(quoted).flatMap((text) => text.match(/[^\s()[\]{}"]+/g) ?? []));
  for (const text of lists.flatMap(quoted).filter((one) => /^[a-z+*/<>=? !-]+$/.test(one)))
    for (const name of text.split(" "))
      expect([name, BUILTINS.has(name) || SPECIAL_FORMS.has(name) || ["in", "includes"].includes(name)]).toEqual([
        name,
        true,
      ]);
  const undo = languageCard(new Set<CardPart>(["undo"]), 512);
  const whole = new Set([
    ...told,
    ...quoted(`${prose}\n${undo}`).flatMap((text) => text.match(/[^\s()[\]{}"]+/g) ?? []),
  ]);
  expect([...SPECIAL_FORMS.keys()].filter((name) => !whole.has(name))).toEqual([]);
  expect([...BUILTINS.keys()].filter((name) => !whole.has(name)).length).toBeLessThan(20);
});

test("parts for features that an agent does not use are left out", () => {
  const single = languageCard(new Set<CardPart>(["single"]), 512);
  expect(single).not.toMatch(/tool\/|task|turn\b|\[\[\w+\n/);
  expect(languageCard(new Set<CardPart>(["loop"]), 99)).toContain("(99 characters in all)");
});

/** The card stands in the prompts of recorded histories: a change of it is a decision, not an accident. */
test("the card is unchanged, byte for byte", () => {
  const seen = readFileSync(path.join(__dirname, "language-card.txt"), "utf8");
  expect(`${languageCard(new Set(PARTS), 2000)}\n`).toBe(seen);
});

test.each([
  ["", "9b854a8be44a13d3"],
  ["loop", "ee11348ad9b84bec"],
  ["single", "9e519ab47794e1af"],
  ["loop single", "65c5aacea0d50955"],
  ["tools", "01c8bc83fdaae9dd"],
  ["loop tools", "82ac42b062a9458d"],
  ["single tools", "f1fa6bf5ed42f4c6"],
  ["loop single tools", "964dc164f654de3d"],
  ["journal", "3f37a927dd7ba67e"],
  ["loop journal", "41cde91bfe973381"],
  ["single journal", "5ca619d1e76c00f7"],
  ["loop single journal", "0532e45f5eb0cd28"],
  ["tools journal", "8ad0043ef0b8be58"],
  ["loop tools journal", "afa80458f418e758"],
  ["single tools journal", "51bb85cc5cc1b702"],
  ["loop single tools journal", "7daa2f74073e9abb"],
])("the card with the parts %j is unchanged", (parts, sha256) => {
  const text = languageCard(new Set(parts.split(" ") as CardPart[]), 2000);
  expect(createHash("sha256").update(text).digest("hex").slice(0, 16)).toBe(sha256);
});

test("no two names have the same position in a list of the card", () => {
  const places = [...SPECIAL_FORMS.values(), ...BUILTINS.values()].flatMap(({ doc }) =>
    doc.card.map(({ list, place }) => `${list} ${place}`),
  );
  expect(places.filter((one, i) => places.indexOf(one) !== i)).toEqual([]);
});
