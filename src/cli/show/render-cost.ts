interface Cost {
  cost: number | null;
  tokens_per_call: { input: number; output: number };
}

/** @param uncounted what may cost money too, but is not in these numbers */
export function costLines({ cost, tokens_per_call: { input, output } }: Cost, uncounted: readonly string[]): string[] {
  const money =
    cost === null
      ? "unknown: a model or its price is not known"
      : `$${cost.toFixed(2)}, with ${input} tokens read and ${output} written in each call`;
  return [`  cost at most: ${money}`, ...(uncounted.length === 0 ? [] : [`  not counted: ${uncounted.join(", ")}`])];
}
