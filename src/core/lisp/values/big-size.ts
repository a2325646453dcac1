import { toBigInt } from "../../base/intrinsics";

// Comparing with these costs next to nothing, unlike asking a large integer for its digits.
const WIDTHS = Array.from({ length: 11 }, (_, i) => ({ bits: 64 << i, above: 1n << toBigInt(64 << i) }));

/** Bits of an integer, rounded up generously. */
export function bitsOf(n: number | bigint): number {
  if (typeof n === "number") return 64;
  const size = n < 0n ? -n : n;
  for (let i = 0; i < WIDTHS.length; i++) {
    const { bits, above } = WIDTHS[i] as (typeof WIDTHS)[number];
    if (size < above) return bits;
  }
  return 65_536;
}
