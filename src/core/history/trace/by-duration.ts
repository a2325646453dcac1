/** The longest first, equal ones in their order. Entries without a duration are left out. */
export function slowestOf<T extends { duration_ms?: number }>(items: readonly T[], n: number): T[] {
  return items
    .filter(({ duration_ms }) => duration_ms !== undefined)
    .sort((a, b) => (b.duration_ms as number) - (a.duration_ms as number))
    .slice(0, Math.max(0, n));
}
