import { parallel, turns } from "../missions";
import type { Comparison } from "./context";
import { pair, pairRows } from "./pair";

const TURNS = 5;
const CALLS = 100;
const fiveTurns = turns(TURNS);
const together = parallel(CALLS);

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
  missions: [together],
  async run(context) {
    const samples = await pair(context, together, { rounds: context.quick ? 3 : 15 });
    return pairRows(`${CALLS} calls at once`, samples, {}, "by hand, Promise.all");
  },
};
