// The other Lisp, in a process of its own: SCI, a Clojure interpreter to be embedded, as the package `nbb` brings it to
// Node. Answers {program, times} with {ms, value, steps}.
import { loadString } from "nbb";

process.on("message", async ({ program, times }) => {
  const answer = { ms: [], value: undefined, steps: 0 };
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    answer.value = await loadString(program);
    answer.ms.push(performance.now() - start);
  }
  process.send(answer);
});
process.once("disconnect", () => process.exit(0));
