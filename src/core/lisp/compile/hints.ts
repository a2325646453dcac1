import { SPECIAL_FORMS } from "./special-forms";
import { absentAdvice } from "./unsupported-clojure-names";

/** The hint for a name that does not exist (lisp reference, sections 6.2 and 17). */
export function absentHint(name: string): string | undefined {
  if (SPECIAL_FORMS.has(name)) return `${name} is a special form: use it with parentheses, as in (${name} ...)`;
  const advice = absentAdvice(name);
  if (advice !== undefined) return `${name} is not available: ${advice}`;
  if (/^\/[0-9]/.test(name)) return "there are no ratios: write (/ 1 2) for 1/2";
  if (/^\/./.test(name)) return "keywords and names have no namespace part: write :a-b for :a/b";
  return undefined;
}
