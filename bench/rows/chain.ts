import { toolChain } from "../missions";
import type { Comparison } from "./context";
import { pair, pairRows } from "./pair";

const CALLS = 20;
const write = toolChain(CALLS, "touch");
const put = toolChain(CALLS, "put");
const read = toolChain(CALLS, "look");
/** Each call an activity, as it is with approvals and with tools that are irreversible. */
const alone = toolChain(CALLS, "touch", { sequences: false });

/** What the journal and the language cost when a mission does one thing after the other. */
export const chain: Comparison = {
  name: "chain",
  about: `${CALLS} effects in sequence, each in a (task ...); one call at a time; with idempotent tools`,
  missions: [write, alone, put],
  async run(context) {
    const rounds = context.quick ? 5 : 25;
    const samples = await pair(context, write, { rounds });
    const aims = { ms: { times: 0.5 }, events: { times: 0.5 } };
    // A record travels with the call that follows it, or with the result; the signed end and what was used are three events.
    const one = await pair(context, alone, { rounds });
    // By hand each call is an activity, as in the row above.
    const idempotent = await pair(context, put, { rounds });
    return [
      ...pairRows(`chain of ${CALLS} effect calls, each a task`, samples, aims),
      ...pairRows("  the same, one call at a time", one, { ms: { times: 1.05 }, events: { more: 3 } }),
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
