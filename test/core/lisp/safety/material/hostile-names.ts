import fc from "fast-check";
import type { Setting } from "../../../../../prove/sandbox/fingerprint";
import type { Json, JsonObject } from "../../../../../src/core/base/json";

/** Names that mean something to JavaScript, in every place where a program may have a name of its own. */

const NAMES = [
  ...[
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "toJSON",
    "then",
    "length",
    "name",
  ],
  ...["__defineGetter__", "__lookupSetter__", "isPrototypeOf", "get", "set", "tag", "process", "require", "globalThis"],
  ...["Function", "eval", "import", "this", "arguments", "caller", "exports", "module", "Symbol.iterator", "undefined"],
];
/** What a tool may answer, or a mission be given. */
const FIELDS = [
  ...NAMES,
  "$fn",
  "$native",
  "$map",
  "$set",
  "$kw",
  "$int",
  "$regex",
  "$text",
  "$float",
  "",
  "a b",
  "\ud800",
];

const name = fc.constantFrom(...NAMES);

const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, 1, -0, 1e300, 2 ** 60, "", "__proto__", "constructor", [], true),
    fc.array(tie("json"), { maxLength: 3 }),
    // fromEntries makes an ordinary key of __proto__, as JSON.parse does.
    fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), tie("json")), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).json;

const value = name.chain((one) =>
  fc.constantFrom(
    ...[
      `:${one.replace(".", "")}`,
      `"${one}"`,
      `{:${one.replace(".", "")} 1}`,
      `{"${one}" {"${one}" 2}}`,
      `#{"${one}"}`,
      `["${one}"]`,
    ],
    ...[
      `data/${one}`,
      `(tool/echo {"${one}" 1})`,
      `(tool/strange {})`,
      `(get data/all "${one}")`,
      `(fn [${one}] ${one})`,
      "nil",
      "1",
    ],
  ),
);

const USES = [
  ...[
    "(get V V)",
    "(get V V V)",
    "(V V)",
    "(V V V)",
    "(get-in V [V V])",
    "(assoc V V V)",
    "(assoc-in {} [V V] V)",
    "(dissoc V V)",
  ],
  ...[
    "(update V V (fn [x] V))",
    "(merge V V)",
    "(into {} [[V V] [V V]])",
    "(select-keys V [V V])",
    "(contains? V V)",
    "(keys V)",
  ],
  ...[
    "(group-by V [V V])",
    "(frequencies [V V V])",
    "(distinct [V V])",
    "(sort-by V [V V])",
    "(pluck V [V V])",
    "(sum-by V [V])",
  ],
  ...[
    "(let [{:keys [N] :or {N 1} :as all} V] [N all])",
    "(let [{N V} V] N)",
    "(let [N V] N)",
    "((fn [N & more] N) V V)",
  ],
  ...[
    "(do (def N V) N)",
    "(do (defn N [x] x) (N V))",
    "(defonce N V)",
    "#'N",
    "N",
    "(N)",
    "(N V)",
    "(.N V)",
    "(N. V)",
    "V.N",
    "(. V N)",
  ],
  ...[
    "data/N",
    "(tool/N V)",
    "(tool/N {V V})",
    "(tool/N :N V)",
    "(tool/N V V)",
    "(N/N V)",
    "N/N",
    "(Math/N 1)",
    "(clojure.core/N 1)",
  ],
  ...[
    "(task V V)",
    '(task "N" V)',
    '(do (task "N" V) (task-reset "N") (task V 1))',
    "(step-done V V)",
    '(step-done "N" V)',
  ],
  ...[
    "(return V)",
    "(fail V)",
    "(fail {:reason V :message V})",
    "(println V)",
    "(str V V)",
    "(where :N = V)",
    '((where [:N "N"] = V) V)',
  ],
  ...[
    "(filter (where :N) [V V])",
    "(map V [V V])",
    "(reduce (fn [a x] (assoc a x V)) {} [V V])",
    "(zip [V] [V])",
    "(type V)",
  ],
  ...[
    "(pmap (fn [x] (task (str x) V)) [V V])",
    "{V V}",
    "#{V V}",
    "[V V]",
    "(= V V)",
    '(re-find #"N" (str V))',
    '(re-find #"\\p{N}" "a")',
  ],
  ...[
    '(re-find #"[[:N:]]" "a")',
    '(re-find #"(?<N>a)" "a")',
    "(java.util.Date. V)",
    "(LocalDate/parse V)",
    "(parse-double V)",
  ],
  ...[
    "(sort N [V V])",
    "(apply N [V V])",
    "(loop [N V] N)",
    "(for [N [V V] :N V] N)",
    "(postwalk (fn [x] V) {V V})",
    "(update-vals V N)",
  ],
];

const use = fc.tuple(fc.constantFrom(...USES), fc.infiniteStream(fc.tuple(name, value))).map(([text, parts]) =>
  text.replace(/(?<![A-Za-z])[NV](?![A-Za-z])/g, (hole) => {
    const [one, given] = parts.next().value as [string, string];
    return hole === "N" ? one : given;
  }),
);

/** A program with what its tools answer. */
export const hostile: fc.Arbitrary<{ source: string; setting: Setting }> = fc
  .record({
    forms: fc.array(use, { minLength: 1, maxLength: 3 }),
    data: fc.array(fc.tuple(fc.constantFrom(...FIELDS, "all"), json), { maxLength: 4 }),
    answers: fc.array(json, { minLength: 1, maxLength: 3 }),
    tools: fc.array(fc.tuple(name, fc.record({ cache: fc.boolean() })), { maxLength: 4 }),
  })
  .map(({ forms, data, answers, tools }) => ({
    source: forms.join(" "),
    setting: {
      data: Object.fromEntries(data) as JsonObject,
      answers,
      tools: Object.fromEntries([...tools, ["strange", { cache: true }]]),
    },
  }));
