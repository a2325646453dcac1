/** Missions that compute, and one that pays slowly. */
const signature = "(n :int) -> :int";
export const PAY = { name: "pay", signature, effect: "write" } as const;
export const LOOK = { name: "look", signature, effect: "idempotent" } as const;
/** Computes in the main thread of the worker. */
export const SUM = { name: "sum", signature, effect: "read", timeout: "30s" } as const;

const COMPUTING = `(do
  (def a (tool/look {:n 1}))
  (def f (frequencies (map (fn [i] (mod (* i 7) 1009)) (range 1 100000))))
  (def g (group-by (fn [i] (mod i 97)) (range 1 100000)))
  (def b (tool/look {:n 2}))
  (return (+ a b (count f) (count g))))`;

const fenced = (program: string) => [`\`\`\`clojure\n${program}\n\`\`\``];

/** Programs by agent. */
export const PROGRAMS = {
  payer: fenced("(return (tool/pay {:n 1}))"),
  program: fenced(COMPUTING),
  tool: fenced("(return (tool/sum {:n 1}))"),
};
