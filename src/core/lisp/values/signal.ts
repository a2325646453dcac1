import type { Value } from "./values";

/** `(return v)` and `(fail e)`, which end the whole program at once. */
export class Signal {
  constructor(
    readonly kind: "return" | "fail",
    readonly value: Value,
  ) {}
}
