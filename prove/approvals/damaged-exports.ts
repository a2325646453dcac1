import type { LedgerVerdict } from "../../src/core/history/export/verdict";
import { verifyExportedLedger } from "../../src/node/identity/ledger-signature";
import { Random } from "../frame/random";
import { DAMAGES, needsKnownHead } from "./damages";
import { soundExport } from "./sound-export";

/** What was tried on `navigator ledger verify`, and what it got wrong. */
export interface DamagedExports {
  sound: number;
  damaged: number;
  /** Damaged exports in which nothing was found. */
  missed: { case: number; damage: string }[];
  /** Sound exports in which something was found. */
  refused: { case: number; problems: LedgerVerdict["problems"] }[];
  /** How often each damage was done. */
  by_damage: { [name: string]: number };
}

/** So many damages are done to each sound export. */
const DAMAGES_OF_EACH = 10;

/**
 * Damages exports in every way that there is, and checks each: one byte, one entry, the order, the tail, also by somebody
 * who calculates all hashes anew, or who has the worker's key.
 *
 * The reader has the project's people file, and knows the head from the search attribute where a mission is marked as running.
 */
export async function damagedExports(
  { seed, sound, damaged }: { seed: number; sound: number; damaged: number },
  progress: (done: number) => void = () => {},
): Promise<DamagedExports> {
  const found: DamagedExports = { sound: 0, damaged: 0, missed: [], refused: [], by_damage: {} };
  const names = Object.keys(DAMAGES);
  let other = await soundExport(Random.ofCase(seed, -2));
  let next = 0;
  for (let index = 0; found.sound < sound || found.damaged < damaged; index++) {
    const random = Random.ofCase(seed, index);
    const made = await soundExport(random);
    if (found.sound < sound) {
      found.sound += 1;
      const { problems } = await verifyExportedLedger(Buffer.from(made.text), made);
      if (problems.length > 0) found.refused.push({ case: index, problems });
    }
    for (let i = 0; i < DAMAGES_OF_EACH && found.damaged < damaged; i++) {
      const damage = names[next++ % names.length] as string;
      const bytes = await DAMAGES[damage]?.(made, random, other);
      if (bytes == null || bytes.equals(Buffer.from(made.text))) continue;
      found.damaged += 1;
      found.by_damage[damage] = (found.by_damage[damage] ?? 0) + 1;
      const { people, head } = made;
      const { ok } = await verifyExportedLedger(bytes, needsKnownHead(damage, made) ? { people, head } : { people });
      if (ok) found.missed.push({ case: index, damage });
    }
    other = made;
    progress(found.sound + found.damaged);
  }
  return found;
}
