import { randomUUID } from "node:crypto";
import path from "node:path";
import { besideSources } from "../peers";
import type { Context } from "../rows/context";
import type { evaluateInside } from "../workflows/lisp";
import type { Answer, Asked } from "./evaluate";
import { PlainSide } from "./plain-side";

export type Ask = (asked: Asked) => Promise<Answer>;

export const SCI = "SCI (nbb)";

/** Where programs are evaluated, each in a process of its own. */
export interface LispSides {
  outside: Ask;
  inside: Ask;
  javascript: Ask;
  /** null: the package is not installed. */
  sci: Ask | null;
  close(): Promise<void>;
}

export async function openSides(context: Context): Promise<LispSides> {
  const outside = openPlain();
  const javascript = openPlain("javascript");
  const sci = await openSci(context);
  const inside = await openInside(context);
  return {
    outside: (asked) => outside.ask(asked),
    inside: inside.ask,
    javascript: (asked) => javascript.ask(asked),
    sci: sci && ((asked) => sci.ask(asked)),
    async close() {
      for (const side of [outside, javascript, sci]) side?.stop();
      await inside.stop();
    },
  };
}

/** Our Lisp in plain Node, or plain JavaScript. */
export function openPlain(...language: "javascript"[]): PlainSide {
  return new PlainSide(path.join(__dirname, "plain-main.js"), language);
}

/** A worker that has the benchmark's own workflow, in a bundle made like Navigator's. */
export async function openInside({ setting }: Context): Promise<{ ask: Ask; stop(): Promise<void> }> {
  const queue = setting.queue("lisp");
  const bundle = await setting.bundle("lisp", { shared: true });
  const worker = await setting.worker("by-hand", queue, { bundle, clock: true });
  return {
    ask: (asked) =>
      setting.client.workflow.execute<typeof evaluateInside>("evaluateInside", {
        workflowId: `lisp/${randomUUID()}`,
        taskQueue: queue,
        args: [asked],
      }),
    stop: () => worker.stop(),
  };
}

async function openSci({ progress }: Context): Promise<PlainSide | null> {
  const file = besideSources("sci.mjs");
  if (file === undefined) return null;
  const side = new PlainSide(file);
  try {
    await side.ask({ program: "1", times: 1 });
    return side;
  } catch (error) {
    progress(`  ${SCI} is not measured: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
