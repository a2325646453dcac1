import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, ToolRegistry } from "../src/tools";

/** Longer than any measurement: a held call ends when its worker is killed. */
const FOREVER_MS = 600_000;

/**
 * The tools that both sides call. They do nothing: what is measured is what calling costs.
 *
 * @param onHold given in a worker that is to be killed: `hold` and `hold_read` tell that they run and never answer
 */
export function benchTools(onHold?: () => void): ToolRegistry {
  const answer = ({ n }: { [name: string]: unknown }) => ({ n });
  const held = async (args: { [name: string]: unknown }, { signal }: { signal: AbortSignal }) => {
    if (onHold) {
      onHold();
      await sleep(FOREVER_MS, undefined, { signal });
    }
    return answer(args);
  };
  const signature = "(n :int) -> {n :int}";
  return new ToolRegistry([
    defineTool({ name: "touch", signature, effect: "write", run: answer }),
    defineTool({ name: "touch_many", signature, effect: "write", batch: true, run: answer }),
    defineTool({ name: "pay", signature, effect: "write", approval: true, run: answer }),
    defineTool({ name: "put", signature, effect: "idempotent", run: answer }),
    defineTool({ name: "look", signature, effect: "read", run: answer }),
    defineTool({ name: "hold", signature, effect: "write", run: held }),
    defineTool({ name: "hold_read", signature, effect: "read", run: held }),
  ]);
}
