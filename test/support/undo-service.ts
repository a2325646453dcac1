import { defineTool, type Tool, ToolFailure } from "../../src/tools";

/** A service that counts what was done and what was taken back, and that acts once for each key. */
export interface UndoService {
  tools: Tool[];
  /** What was done, by its key, in the order of doing. */
  done: Map<string, number>;
  /** What was taken back, in the order of undoing: the `n` of the call. */
  undone: number[];
  /** The keys of undos, each as often as it came. */
  undoKeys: string[];
  /** Called before an undo answers: a test may fail it, or take its worker away. */
  onUndo: (n: number) => void | Promise<void>;
  /** What is done and not taken back. */
  state(): number[];
}

/**
 * The tools `book` (can be undone), `note` (cannot) and `big`, whose answer is too long to be kept. Their argument is `n`.
 */
export function undoService(): UndoService {
  const done = new Map<string, number>();
  const takenBack = new Map<string, number>();
  const service: UndoService = {
    tools: [],
    done,
    undone: [],
    undoKeys: [],
    onUndo: () => {},
    state: () => [...done].filter(([key]) => !takenBack.has(`${key}~undo`)).map(([, n]) => n),
  };
  const act = (n: unknown, key: string) => {
    done.set(key, Number(n));
    return { tx: Number(n) };
  };
  service.tools = [
    defineTool({
      name: "book",
      signature: "(n :int) -> {tx :int}",
      undoCost: 0.25,
      run: ({ n }, call) => act(n, call.idempotencyKey),
      undo: async ({ n }, { tx }, call) => {
        service.undoKeys.push(call.idempotencyKey);
        if (tx !== n) throw new ToolFailure("another answer", { code: "wrong_answer" });
        if (!takenBack.has(call.idempotencyKey)) {
          takenBack.set(call.idempotencyKey, Number(n));
          service.undone.push(Number(n));
        }
        await service.onUndo(Number(n));
      },
    }),
    defineTool({ name: "note", signature: "(n :int) -> {tx :int}", run: ({ n }, call) => act(n, call.idempotencyKey) }),
    defineTool({
      name: "big",
      signature: "(n :int) -> :any",
      run: ({ n }, call) => ({ ...act(n, call.idempotencyKey), text: "x".repeat(20_000) }),
      undo: () => null,
    }),
  ];
  return service;
}
