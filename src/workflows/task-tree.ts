import { allHandlersFinished, condition, continueAsNew, setHandler, upsertMemo } from "@temporalio/workflow";
import { failed, ok, type Result } from "../core/base/failure";
import { formatFields, like, workflowInput } from "../core/base/input/workflow-input";
import type { RunFormat } from "../core/base/run-format";
import { isUnnamed } from "./checked-input";
import { valueOrReject } from "./failures";
import { historyIsLong } from "./history-limits";
import * as messages from "./messages";
import { givenFormat } from "./run-format";

/**
 * Keeps the order of all tasks of a namespace. It assigns their numbers, and knows where the current list begins, so
 * that one step replaces a whole list by another. It gets a message for each load, never for a move. Its state is in
 * the memo, where it can be read without a worker.
 */
export async function taskTree(raw: messages.TreeState & RunFormat): Promise<void> {
  const format = givenFormat(raw);
  let tree = valueOrReject(readTreeState(raw ?? {}, { knownFields: isUnnamed(raw) }));
  const keep = (next: messages.TreeState) => {
    tree = next;
    upsertMemo({ tree });
  };
  setHandler(
    messages.allocateOrders,
    (count) => {
      const first = tree.next;
      keep({ ...tree, next: first + Math.max(0, Math.trunc(count)) });
      return first;
    },
    { validator: (count) => void valueOrReject(checkNumber(count, "The number of places")) },
  );
  // It only moves forward: if two lists are loaded at the same time, the later one wins.
  setHandler(
    messages.replaceTree,
    (base) => {
      if (base > tree.base) keep({ ...tree, base: Math.min(base, tree.next) });
      return tree;
    },
    { validator: (base) => void valueOrReject(checkNumber(base, "The beginning of the tree")) },
  );
  await condition(historyIsLong);
  await condition(allHandlersFinished);
  await continueAsNew<typeof taskTree>({ ...format, ...tree });
}

/** Without fields the tree is empty. */
const readTreeState = workflowInput(
  "taskTree",
  "base and next",
  () => ({ fields: { ...formatFields(), base: like(0), next: like(0) } }),
  ({ base = 0, next = 1 }, _take, _origin, mistakes) => {
    for (const [path, value] of Object.entries({ base, next }))
      if (Number(value) < 0) mistakes.push({ path, message: "must be 0 or more" });
    return () => ({ base, next }) as unknown as messages.TreeState;
  },
);

function checkNumber(value: unknown, what: string): Result<unknown> {
  const right = typeof value === "number" && Number.isSafeInteger(Math.trunc(value)) && value >= 0;
  return right ? ok(null) : failed("invalid_input", `${what} must be a number, 0 or more.`, { path: what });
}
