import { printValue } from "../../../src/core/lisp";
import { coerceParameters, coerceValue } from "../../../src/core/signature/coerce";
import { parseSignature } from "../../../src/core/signature/parse";
import { value } from "./value";

/** Lenient reading of inputs (lisp reference, section 15.3). */
const coerce = (type: string, source: string) => coerceValue(parseSignature(type).output, value(source));

test.each([
  [":int", '"42"', "42", ['coerced string "42" to integer']],
  [":int", '"-7"', "-7", ['coerced string "-7" to integer']],
  [":int", '"12345678901234567890"', "12345678901234567890", ['coerced string "12345678901234567890" to integer']],
  [":float", '"3.5 kg"', "3.5", ['coerced string "3.5 kg" to float']],
  [":float", "4", "4.0", []],
  [":bool", '"true"', "true", ['coerced string "true" to boolean']],
  [":bool", '"false"', "false", ['coerced string "false" to boolean']],
  [":string", ":abc", '"abc"', ["coerced keyword to string"]],
  [":keyword", '"abc"', ":abc", ['coerced string "abc" to keyword']],
  [":int?", "nil", "nil", []],
  [":any", "#{1}", "#{1}", []],
  [":map", "{:a 1}", "{:a 1}", []],
  ["[:int]", '["1" 2]', "[1 2]", ['coerced string "1" to integer']],
  ["{n :int, o :string?}", '{:n "1" :more 2}', '{"n" 1}', ['coerced string "1" to integer']],
  ["{total-sum :int, ok :bool?}", "{:total-sum 1 :ok nil}", '{"ok" nil "total_sum" 1}', []],
  ["[{id :int}]", '[{"id" 1} {:id "2"}]', '[{"id" 1} {"id" 2}]', ['coerced string "2" to integer']],
])("%s accepts %s as %s", (type, source, text, warnings) => {
  const coerced = coerce(type, source);
  if (!coerced.ok) throw new Error(coerced.message);
  expect([printValue(coerced.value), coerced.warnings]).toEqual([text, warnings]);
});

test.each([
  [":int", "4.0", "", "cannot coerce float 4.0 to integer"],
  [":int", '"x"', "", 'cannot coerce string "x" to integer'],
  [":int", "nil", "", "cannot coerce nil to integer"],
  [":float", '"kg"', "", 'cannot coerce string "kg" to float'],
  [":bool", '"yes"', "", 'cannot coerce string "yes" to boolean'],
  [":string", "5", "", "cannot coerce int 5 to string"],
  ["[:int]", "#{1}", "", "cannot coerce set #{1} to list"],
  ["{n :int}", "{:m 1}", "", 'missing required field "n"'],
  ["{items [{id :int}]}", '{:items [{:id 1} {:id "a"}]}', "items[1].id", 'cannot coerce string "a" to integer'],
])("%s refuses %s at %j", (type, source, path, message) =>
  expect(coerce(type, source)).toEqual({ ok: false, path, message }),
);

test("the parameters of a signature form one record; undeclared ones are dropped", () => {
  const { parameters } = parseSignature("(order-id :int, note :string?) -> :any");
  const coerced = coerceParameters(parameters, value('{"order_id" "7" :extra 1}'));
  expect(coerced.ok && printValue(coerced.value)).toBe('{"order_id" 7}');
});
