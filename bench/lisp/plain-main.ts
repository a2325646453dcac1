import { Script } from "node:vm";
import { type Answer, type Asked, evaluate } from "./evaluate";

/** A process that evaluates what it is asked to, in no workflow: our Lisp, or plain JavaScript. */
const clock = () => performance.now();

function javascript({ program, times }: Asked): Answer {
  const answer: Answer = { ms: [], value: undefined, steps: 0 };
  for (let i = 0; i < times; i++) {
    const start = clock();
    answer.value = new Script(program).runInThisContext();
    answer.ms.push(clock() - start);
  }
  return answer;
}

const run = process.argv[2] === "javascript" ? javascript : (asked: Asked) => evaluate(asked, clock);
process.on("message", (asked: Asked) => void process.send?.(run(asked)));
process.once("disconnect", () => process.exit(0));
