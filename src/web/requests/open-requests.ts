import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import type { WebEnv } from "../context/context";

/** Requests of one caller that may be open at a time: streams are open for long, and others need connections too. */
export const MAX_OPEN_REQUESTS = 500;

/** The requests of each caller that have no whole answer yet. */
export class OpenRequests {
  private readonly open = new Map<string, number>();

  constructor(private readonly most: number = MAX_OPEN_REQUESTS) {}

  /** false: the caller has too many open. A request that is let in counts until its connection has its answer, or is gone. */
  enter(caller: string, c: Context<WebEnv>): boolean {
    const n = this.open.get(caller) ?? 0;
    if (n >= this.most) return false;
    const { outgoing } = c.env as { outgoing?: ServerResponse };
    if (outgoing === undefined) return true;
    this.open.set(caller, n + 1);
    outgoing.once("close", () => {
      const left = (this.open.get(caller) ?? 1) - 1;
      if (left > 0) this.open.set(caller, left);
      else this.open.delete(caller);
    });
    return true;
  }
}
