import { type ExportedHistory, readRecorded, recordedFiles } from "../support/recorded";
import type { Place } from "./places";
import type { Replays } from "./replays";
import { whyUnreachable } from "./unreachable";

/** What became of one mutation. */
export interface Outcome {
  place: Place;
  /** `exempt`: it is listed as unreachable. `listed`: it is listed, but a recorded run passes it. */
  outcome: "noticed" | "survives" | "exempt" | "listed";
  /** Names of the histories that pass the place. */
  through: string[];
  /** The first history that does not replay any more. */
  noticedBy?: string;
  reason?: string;
}

interface Recorded {
  file: string;
  history: ExportedHistory;
}

/** All recordings, short ones first: to fail, one is enough. */
export function recordings(): Recorded[] {
  return recordedFiles()
    .map((file) => ({ file, history: readRecorded(file) }))
    .sort((a, b) => a.history.events.length - b.history.events.length);
}

/**
 * The recordings that pass each place.
 *
 * @param enough the places that are asked about: one recording of each will do. Absent: all places and all recordings
 * @throws when one does not replay on the code as it is
 */
export async function recordingsByPlace(
  replays: Replays,
  all: readonly Recorded[],
  enough?: readonly Place[],
): Promise<Map<string, Recorded[]>> {
  const passing = new Map<string, Recorded[]>();
  for (const recorded of all) {
    if (enough?.every(({ id }) => passing.has(id))) break;
    for (const place of await replays.placesOf(recorded.history))
      passing.set(place, [...(passing.get(place) ?? []), recorded]);
  }
  return passing;
}

/** Inserts one more command at a place, and replays what passes it until one recording notices. */
export async function outcomeOf(replays: Replays, place: Place, passing: readonly Recorded[] = []): Promise<Outcome> {
  const through = passing.map(({ file }) => file);
  const reason = whyUnreachable(place);
  if (reason !== undefined) return { place, outcome: through.length === 0 ? "exempt" : "listed", through, reason };
  for (const { file, history } of passing)
    if (await replays.notices(history, place.id)) return { place, outcome: "noticed", through, noticedBy: file };
  return { place, outcome: "survives", through };
}
