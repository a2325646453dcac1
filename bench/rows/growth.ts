import type { Sample } from "../measure";
import { turns } from "../missions";
import type { Row } from "../report";
import type { Comparison } from "./context";
import { BY_HAND, pair } from "./pair";

const LENGTHS = [10, 50, 150];
const missions = LENGTHS.map(turns);

interface Pair {
  ours: Sample;
  theirs: Sample;
}

/** Whether a history grows with what is new, or with all that was ever said, once more at each turn. */
export const growth: Comparison = {
  name: "growth",
  about: `history bytes of agents of ${LENGTHS.join(", ")} turns`,
  slow: true,
  missions,
  async run(context) {
    const pairs: Pair[] = [];
    // Bytes do not depend on the moment: one round is enough.
    for (const mission of missions) pairs.push(await pair(context, mission, { rounds: 1 }));
    const sizes = pairs.map(
      ({ ours, theirs }, i): Row => ({
        what: `history after ${LENGTHS[i]} turns`,
        unit: "bytes",
        ours: ours.bytes,
        theirs: theirs.bytes,
        against: BY_HAND,
      }),
    );
    const early = perTurn(pairs, 0);
    const late = perTurn(pairs, 1);
    return [...sizes, span(1, early), { ...span(2, late), aim: { at_most: Math.ceil(early.ours * MAY_GROW) } }];
  },
};

/** Names and numbers get a digit longer in later turns; anything above that is old text sent again. */
const MAY_GROW = 1.1;

function perTurn(pairs: Pair[], from: number): { ours: number; theirs: number } {
  const [a, b] = [pairs[from] as Pair, pairs[from + 1] as Pair];
  const length = (LENGTHS[from + 1] as number) - (LENGTHS[from] as number);
  return { ours: (b.ours.bytes - a.ours.bytes) / length, theirs: (b.theirs.bytes - a.theirs.bytes) / length };
}

function span(to: number, sizes: { ours: number; theirs: number }): Row {
  return {
    what: `  bytes a turn, ${LENGTHS[to - 1]} to ${LENGTHS[to]}`,
    unit: "bytes/turn",
    ...sizes,
    against: BY_HAND,
  };
}
