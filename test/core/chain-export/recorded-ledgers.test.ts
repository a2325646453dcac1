import { chainInHistory } from "../../../src/core/chain-export/chain-in-history";
import { chainsText, type ExportedChain } from "../../../src/core/chain-export/export-ledger";
import { readHistory } from "../../../src/core/journal/history";
import { verifyExportedLedger } from "../../../src/identity/ledger-signature";
import { readRecorded, recordedFiles } from "../../support/recorded";

/** The chains of recorded runs hold, as far as one workflow tells: its agents are in histories of their own. */

const recorded = recordedFiles().flatMap((file): [string, ExportedChain][] => {
  const history = readRecorded(file);
  const id = String(readHistory(history)[0]?.attributes.workflowId);
  const chain = chainInHistory(id, [history]);
  return chain.links.length === 0 ? [] : [[file, { id, parent: null, runs: 1, chain }]];
});

/** What was recorded while the ledger did not yet say all that it says today. */
const KNOWN: { [file: string]: string[] } = {
  "verified-hand-over-to-nobody.json": ["not_an_assignee", "no_approval"],
  "verified-requested-by.json": ["seal_mismatch"],
  "verified-withdrawn-by-signal.json": ["no_approval"],
};

test.each(recorded)("%s", async (file, chain) => {
  const { problems, whole } = await verifyExportedLedger(chainsText([chain], { made_at: 1, people: null }));
  const codes = problems.map(({ code }) => code).filter((code) => code !== "child_mismatch");
  expect({ codes, whole }).toEqual({ codes: KNOWN[file] ?? [], whole: true });
});
