import { Op } from "../compile/code";
import { PMap } from "../values/collections";
import { LispError } from "../values/errors";
import { seqOf } from "../values/seq";
import { Signal } from "../values/signal";
import { journalId, journalText } from "../values/tool-values";
import { Keyword, type Value } from "../values/values";
import { isZeroArgumentFunction } from "./checks";
import type { Fiber, Frame } from "./fiber";
import type { MachineParts } from "./parts";

/** Instructions with effects outside the program's own values: tools, the journal, signals, parallel sections. */
export function runEffect(machine: MachineParts, fiber: Fiber, frame: Frame, op: number): void {
  const { constants, ops } = frame.code;
  const operand = () => ops[frame.pc++] as number;
  switch (op) {
    case Op.TOOL:
      return machine.tools.call(fiber, constants[operand()] as string, fiber.popMany(operand()));
    case Op.TOOL_TRY:
      return machine.tools.call(fiber, constants[operand()] as string, fiber.popMany(operand()), true);
    case Op.TASK:
      return machine.tasks.begin(fiber, frame, operand());
    case Op.TASK_DONE:
      return machine.tasks.done(fiber);
    case Op.STEP_DONE: {
      topLevelOnly(fiber, "step-done");
      const [id, summary] = fiber.popMany(2) as [Value, Value];
      const text = journalText(summary, "summary");
      const name = journalText(id, "id");
      machine.fuel.allocate(2 * (name.length + text.length));
      machine.outputs.summaries.set(name, text);
      return fiber.push(text);
    }
    case Op.TASK_RESET:
      topLevelOnly(fiber, "task-reset");
      machine.tasks.reset(journalId(fiber.pop()));
      return fiber.push(null);
    case Op.SIGNAL_RETURN:
      throw new Signal("return", fiber.pop());
    case Op.SIGNAL_FAIL:
      throw new Signal("fail", fiber.pop());
    case Op.PMAP:
      return pmap(machine, fiber);
    case Op.PCALLS:
      return pcalls(machine, fiber, fiber.popMany(operand()));
    default:
      throw new Error(`unknown instruction ${op}`);
  }
}

function pmap({ parallel, context }: MachineParts, fiber: Fiber): void {
  const [fn, collection] = fiber.popMany(2) as [Value, Value];
  if (fn instanceof Keyword && collection instanceof PMap)
    throw new LispError(
      "eval_error",
      "type_error",
      "pmap: a keyword over a single map; for one field write (:key map)",
    );
  const items = seqOf(collection, "pmap", context);
  parallel.start(fiber, "pmap", items.length, { fn, items });
}

function pcalls({ parallel }: MachineParts, fiber: Fiber, functions: Value[]): void {
  functions.forEach((fn, i) => {
    if (!isZeroArgumentFunction(fn))
      throw new LispError(
        "eval_error",
        "pcalls_error",
        `pcalls: argument ${i} must be a function without parameters, as in #(tool/x {})`,
      );
  });
  parallel.start(fiber, "pcalls", functions.length, { functions });
}

function topLevelOnly(fiber: Fiber, form: string): void {
  if (fiber.parent !== null || fiber.nativeDepth > 0)
    throw new LispError(
      "unsupported_in_parallel",
      "unsupported_in_parallel",
      `${form} does not work inside map, pmap, pcalls or functions given to them: call it at top level`,
    );
}
