import type { Value } from "../values/values";

/** `(return v)` and `(fail e)`: they leave the whole program at once. */
export class Signal {
  constructor(
    readonly kind: "return" | "fail",
    readonly value: Value,
  ) {}
}
