import { openInside, openPlain } from "../lisp/sides";
import { STRETCHES } from "../lisp/stretches";
import { median } from "../measure";
import type { Row } from "../report";
import type { Comparison } from "./context";

const SHOWN = 8;
/** Much longer, and other workflows of the worker are felt to wait; the task itself may take ten times as long. */
const LONGEST_MS = 500;

/** How long a program can keep a workflow task busy before a limit stops it. */
export const fuel: Comparison = {
  name: "fuel",
  about: `the longest that programs of many kinds (${STRETCHES.length}) can hold up a workflow task`,
  slow: true,
  missions: [],
  async run(context) {
    const outside = openPlain();
    const inside = await openInside(context);
    try {
      const rows: Row[] = [];
      for (const { name, lisp: program } of STRETCHES) {
        context.progress(`  ${name} ...`);
        const asked = { program, times: context.quick ? 2 : 5 };
        const [ours, theirs] = [median((await inside.ask(asked)).ms), median((await outside.ask(asked)).ms)];
        rows.push({ what: name, unit: "ms", ours, theirs, against: "outside", aim: { at_most: LONGEST_MS } });
      }
      rows.sort((a, b) => (b.ours as number) - (a.ours as number));
      return rows.slice(0, SHOWN).map((row, i) => ({ ...row, what: `${i === 0 ? "held up by: " : "  "}${row.what}` }));
    } finally {
      outside.stop();
      await inside.stop();
    }
  },
};
