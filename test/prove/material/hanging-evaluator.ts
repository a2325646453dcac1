/** An evaluator that never ends where a program has a loop. */
export function fingerprint(source: string): object {
  while (source.includes("(loop"));
  return { kind: "value", steps: 1, calls: 0, text: "", faults: [] };
}
