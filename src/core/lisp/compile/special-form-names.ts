/** The special forms by name, apart from their compilers so that hints can know them without a cycle. */
export const SPECIAL_FORM_NAMES: ReadonlySet<string> = new Set(
  (
    "def defonce defn fn let do if if-not when when-not if-let when-let cond and or -> ->> recur loop for doseq " +
    "where all-of any-of none-of juxt return fail task step-done task-reset pmap pcalls"
  ).split(" "),
);
