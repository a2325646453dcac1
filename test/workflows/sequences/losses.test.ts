import { runsOf } from "../../support/record";
import { expectProjectionsToEqual, replay } from "../../support/replay/replay";
import { openRig, type Rig } from "../../support/rig";
import { LOSS_RECORDINGS } from "../recordings/losses";

/** Here each of them is also run: what is made again, and what is not, stands in the recordings themselves. */
let rig: Rig | undefined;
afterEach(() => rig?.stop());

test.each(LOSS_RECORDINGS)("$name: calls that were answered are not made again", async ({ rig: given, run }) => {
  rig = await openRig(typeof given === "function" ? await given() : (given ?? {}));
  const [history] = await runsOf(rig.client.temporal, await run(rig));
  if (history === undefined) throw new Error("The run has no history.");
  await expectProjectionsToEqual(history);
  await replay(history);
});
