import { chainInHistory } from "../../../../src/core/history/export/chain-in-history";
import { chainsText, type ExportedChain } from "../../../../src/core/history/export/export-ledger";
import { startedIn } from "../../../../src/core/history/read/history";
import { verifyExportedLedger } from "../../../../src/node/identity/ledger-signature";
import { readRecorded, recordedFiles } from "../../../support/recorded";

/** The chains of recorded runs hold, as far as one workflow tells: its agents are in histories of their own. */

const startOf = (file: string) => startedIn(readRecorded(file));
const isContinued = (file: string): boolean => Boolean(startOf(file)?.continued_run_id);

/** The files of a workflow that continued as new: `X.json`, `X-2.json`, and so on. Its chain goes through all of them. */
function partsOf(first: string): string[] {
  const parts = [first];
  for (let n = 2; ; n++) {
    const next = first.replace(/\.json$/, `-${n}.json`);
    if (!files.has(next) || !isContinued(next)) return parts;
    parts.push(next);
  }
}

const files = new Set(recordedFiles());
const recorded = [...files].flatMap((file): [string, ExportedChain][] => {
  if (isContinued(file)) return [];
  const parts = partsOf(file);
  const id = String(startOf(file)?.workflow_id);
  const chain = chainInHistory(id, parts.map(readRecorded));
  return chain.links.length === 0 ? [] : [[file, { id, parent: null, runs: parts.length, chain }]];
});

/** What was recorded while the ledger did not yet say all that it says today. */
const KNOWN: { [file: string]: string[] } = {
  "verified-withdrawn-by-signal.json": ["no_approval"],
};

test.each(recorded)("%s", async (file, chain) => {
  const { problems, whole } = await verifyExportedLedger(chainsText([chain], { made_at: 1, people: null }));
  const codes = problems.map(({ code }) => code).filter((code) => code !== "child_mismatch");
  expect({ codes, whole }).toEqual({ codes: KNOWN[file] ?? [], whole: true });
});
