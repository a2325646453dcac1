import { compileProgram } from "../../../../src/core/lisp/compile/compile";
import { Registry } from "../../../../src/core/lisp/compile/registry";
import { hostText } from "../../../../src/core/lisp/direct/translate";
import { codesOf } from "../../../../src/core/lisp/machine/known-values";
import { LispError } from "../../../../src/core/lisp/values/errors";
import { corpus } from "../safety/material/corpus";

/** Programs whose names and texts would do something if they came into the text of a translation. */
const HOSTILE = [
  "(fn [x] (+ x 1))",
  '(def constructor (fn [__proto__] (str __proto__ "`;process.exit();//" )))',
  "(defn eval [arguments] (if (< arguments 3) (eval (+ arguments 1)) {:constructor arguments}))",
  '(fn [{:keys [prototype this]}] (get {"a\\";throw 1;\\"" this} :x))',
  "(fn [process] [process -7 1.5 99999999999999999999 nil true])",
  '(fn [a] (loop [i 0 b a] (if (< i 9) (recur (inc i) (conj [b] "#{a}")) (:return b))))',
  "(fn [x] (cond (< x 1) (tool/echo {:x x}) (and x (or x 2)) #(+ % x) :else (mod x 0)))",
];

/** All that a text may be made of: words of the host, names that are numbered, helpers, numbers, four comparisons. */
const TOKEN =
  /[\s()[\]{},;:?]|=>|===|!==|[-+*%]=?|<=|>=|&&|\|\||[<>=!.]|"(?:number|<|>|<=|>=)"|\d+|\b(?:const|let|return|function|typeof|if|else|for|break|continue|null|true|false|base|depth|[KHSLcr]|[stklbc]\d+|left|high|deep|deepest|rounds|epoch|run|captured|leave|find|global|target|plain|add|subtract|multiply|inc|dec|equal|builtin|rem|quot|mod|keyword|field|nth|checkVector|checkMap|vector|map|closure)\b/y;

function strangePart(text: string): string | undefined {
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    if (!TOKEN.test(text)) return text.slice(at, at + 40);
  }
  return undefined;
}

function textsOf(source: string): string[] {
  try {
    const code = compileProgram(source, new Registry(new Map(), new Map()));
    return codesOf(code).flatMap((one) => hostText(one)?.body ?? []);
  } catch (error) {
    if (error instanceof LispError) return [];
    throw error;
  }
}

it("finds what does not belong into a text", () =>
  expect(strangePart('t0=s1;process.exit("x");')).toBe('process.exit("x");'));

it("makes texts of nothing that a program says", () => {
  const texts = [...HOSTILE, ...corpus()].flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(50);
  for (const text of texts) expect(strangePart(text)).toBeUndefined();
});

it("makes texts that the host can read", () => {
  for (const text of [...HOSTILE, ...corpus()].flatMap(textsOf))
    expect(() => new Function("K", "H", "S", "L", text)).not.toThrow();
});

it.each([
  ["a tool is called at once", "(fn [x] (tool/echo {:x x}))"],
  ["it makes a definition", "(fn [x] (def y x))"],
  ["a builtin keeps something", "(fn [x] (conj x 1))"],
  ["it takes any number of arguments", "(fn [& xs] 1)"],
])("leaves a function to the evaluator: %s", (_, source) => expect(textsOf(source).slice(1)).toEqual([]));
