import { allPlaces, bundleWithPlaces } from "./bundle";
import { Replays } from "./replays";
import { type Outcome, outcomeOf, recordings, recordingsByPlace } from "./survey";

/**
 * `npm run test:mutations`: inserts one extra timer at each place of the workflow code in turn, and replays recorded
 * histories that pass the place. Each of these changes would leave running workflows stuck, so each must be noticed.
 * One that survives needs a new recording (docs/testing.md). Exit code 1 when there is one.
 */
async function main(): Promise<number> {
  const began = Date.now();
  const places = allPlaces();
  const replays = new Replays(await bundleWithPlaces());
  const all = recordings();
  const passing = await recordingsByPlace(replays, all);
  const outcomes: Outcome[] = [];
  for (const place of places) {
    const outcome = await outcomeOf(replays, place, passing.get(place.id));
    outcomes.push(outcome);
    console.log(lineOf(outcome));
  }
  await replays.close();
  const count = (of: Outcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === of).length;
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `\n${places.length} places, ${all.length} histories, ${seconds} s: ${count("noticed")} noticed, ${count("exempt")} exempt, ${count("survives")} survive, ${count("listed")} wrongly listed as unreachable.`,
  );
  return count("survives") + count("listed") === 0 ? 0 : 1;
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

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
