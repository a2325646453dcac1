import { allHandlersFinished, condition, continueAsNew, setHandler, upsertMemo } from "@temporalio/workflow";
import { historyIsLong } from "./history-limits";
import * as messages from "./messages";

/**
 * Keeps the order of all tasks of a namespace: assigns their numbers, and remembers where the current list begins,
 * so that one step replaces a whole list by another. It gets a message for each load, never for a move. Its state is in
 * the memo, where it can be read without a worker.
 */
export async function taskTree(state: messages.TreeState): Promise<void> {
  let tree = state;
  const keep = (next: messages.TreeState) => {
    tree = next;
    upsertMemo({ tree });
  };
  setHandler(messages.allocateOrders, (count) => {
    const first = tree.next;
    keep({ ...tree, next: first + Math.max(0, Math.trunc(count)) });
    return first;
  });
  // It only moves forward: if two lists are loaded at the same time, the later one wins.
  setHandler(messages.replaceTree, (base) => {
    if (base > tree.base) keep({ ...tree, base: Math.min(base, tree.next) });
    return tree;
  });
  await condition(historyIsLong);
  await condition(allHandlersFinished);
  await continueAsNew<typeof taskTree>(tree);
}
