import { replayAndKeep, runsOf } from "../support/record";
import type { Recording } from "../support/recording";
import type { ExportedHistory } from "../support/replay";
import { expectProjectionsToEqual } from "../support/replay";
import { openRig, type Rig } from "../support/rig";
import { AGENT_RECORDINGS } from "./recordings/agents";

/**
 * What can happen to running workflows, each case run and replayed. With NAVIGATOR_RECORD=1 the histories are kept in
 * test/histories: from then on every later version of the code has to replay them.
 */
let rig: Rig;
afterEach(() => rig.stop());

const isAgent = ({ events }: ExportedHistory) => JSON.stringify(events[0]).includes('"agentRun"');

test.each<Recording>(AGENT_RECORDINGS)("$name replays", async ({ name, rig: options, run }) => {
  rig = await openRig({ ...options });
  const histories = await runsOf(rig.client.temporal, await run(rig));
  for (const history of histories.filter(isAgent)) await expectProjectionsToEqual(history);
  await replayAndKeep(name, histories);
});
