import { quietRuntime } from "../../src/testing/quiet";
import { allPlaces, bundleWithPlaces } from "./bundle";
import type { Place } from "./places";
import { Replays } from "./replays";
import { type Outcome, outcomeOf, recordings, recordingsByPlace } from "./survey";
import { whyUnreachable } from "./unreachable";

/**
 * `npm run test:mutations`: inserts one extra timer at each place of the workflow code in turn, and replays recorded
 * histories that pass the place. Each of these changes would leave running workflows stuck, so each must be noticed.
 * One that survives needs a new recording (docs/testing.md). Exit code 1 when there is one.
 *
 * The code is bundled once, with a switch at each place. `--sample N` tries N places only, and each of them a second time
 * in a bundle of its own that has the timer without a switch.
 */
async function main(args: readonly string[]): Promise<number> {
  quietRuntime();
  const began = Date.now();
  const sample = args[0] === "--sample" ? Number(args[1]) : undefined;
  const places = sample === undefined ? allPlaces() : spread(allPlaces(), sample);
  const all = recordings();
  const outcomes: Outcome[] = [];
  const tell = (outcome: Outcome) => {
    outcomes.push(outcome);
    console.log(lineOf(outcome));
  };

  const replays = new Replays(await bundleWithPlaces());
  const passing = await recordingsByPlace(replays, all, sample === undefined ? undefined : places);
  for (const place of places) tell(await outcomeOf(replays, place, passing.get(place.id)));
  await replays.close();

  for (const place of sample === undefined ? [] : places) {
    const changed = new Replays(await bundleWithPlaces(place.id));
    tell(await outcomeOf(changed, place, passing.get(place.id)));
    await changed.close();
  }

  const count = (of: Outcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === of).length;
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `\n${outcomes.length} mutations, ${all.length} histories, ${seconds} s: ${count("noticed")} noticed, ${count("exempt")} exempt, ${count("survives")} survive, ${count("listed")} wrongly listed as unreachable.`,
  );
  return count("survives") + count("listed") === 0 ? 0 : 1;
}

/** So many of them, from all parts of the code: they are in the order of their files. */
function spread(places: readonly Place[], count: number): Place[] {
  const reachable = places.filter((place) => whyUnreachable(place) === undefined);
  return Array.from(
    { length: count },
    (_, i) => reachable[Math.floor(((i + 0.5) * reachable.length) / count)] as Place,
  );
}

function lineOf({ place, outcome, through, noticedBy, reason }: Outcome): string {
  const what = {
    noticed: `${noticedBy}, of ${through.length}`,
    survives: through.length === 0 ? "no history passes it" : `passed by ${through.join(", ")}`,
    exempt: reason,
    listed: `passed by ${through.join(", ")}: take it out of unreachable.ts`,
  }[outcome];
  return [outcome.padEnd(9), place.id.padEnd(42), place.kind.padEnd(14), place.text.slice(0, 50).padEnd(50), what].join(
    " ",
  );
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
