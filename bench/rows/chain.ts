import { toolChain } from "../missions";
import type { Comparison } from "./context";
import { pair, pairRows } from "./pair";

const CALLS = 20;
const write = toolChain(CALLS, "touch");
const put = toolChain(CALLS, "put");
const read = toolChain(CALLS, "look");

/** What the journal and the language cost when a mission does one thing after the other. */
export const chain: Comparison = {
  name: "chain",
  about: `${CALLS} effects in sequence, each in a (task ...); the same with idempotent tools`,
  missions: [write, put],
  async run(context) {
    const rounds = context.quick ? 5 : 25;
    const samples = await pair(context, write, { rounds });
    // A record travels with the call that follows it, or with the result.
    const aims = { ms: { times: 1.15 }, events: { more: 0 } };
    // By hand each call is an activity, as in the row above.
    const idempotent = await pair(context, put, { rounds });
    return [
      ...pairRows(`chain of ${CALLS} effect calls, each a task`, samples, aims),
      ...pairRows("  the same, idempotent tools", idempotent, { ms: { times: 0.3 } }),
    ];
  },
};

/** What it brings that tools say what they do: reads need no round trip through the server's queues. */
export const reads: Comparison = {
  name: "reads",
  about: `the same with tools that only read (local activities)`,
  missions: [read],
  async run(context) {
    const rounds = context.quick ? 5 : 25;
    const activities = await pair(context, read, { rounds });
    const local = await pair(context, read, { rounds, byHand: { local: true } });
    return [
      ...pairRows(`chain of ${CALLS} reads, each a task`, activities, { ms: { times: 0.7 } }),
      ...pairRows("  the same again", local, {}, "by hand, local activities"),
    ];
  },
};
