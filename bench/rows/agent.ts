import { parallel, turns } from "../missions";
import type { Comparison } from "./context";
import { pair, pairRows } from "./pair";

const TURNS = 5;
const CALLS = 100;
const fiveTurns = turns(TURNS);
const together = parallel(CALLS, "touch");
const inBatches = parallel(CALLS, "touch_many");

export const agent: Comparison = {
  name: "agent",
  about: `an agent of ${TURNS} turns, one tool call in each`,
  missions: [fiveTurns],
  async run(context) {
    return pairRows(`agent of ${TURNS} turns`, await pair(context, fiveTurns, { rounds: context.quick ? 5 : 25 }));
  },
};

export const fanOut: Comparison = {
  name: "parallel",
  about: `${CALLS} tool calls at once: pmap and Promise.all`,
  missions: [together, inBatches],
  async run(context) {
    const options = { rounds: context.quick ? 3 : 15 };
    const against = "by hand, Promise.all";
    const apart = await pair(context, together, options);
    const batches = await pair(context, inBatches, options);
    return [
      ...pairRows(`${CALLS} calls at once`, apart, {}, against),
      ...pairRows("the same, in batches", batches, { ms: { times: 1 } }, against),
    ];
  },
};
