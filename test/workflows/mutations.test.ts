import { DeterminismViolationError } from "@temporalio/workflow";
import { allPlaces, bundleWithPlaces } from "../mutations/bundle";
import { Replays } from "../mutations/replays";
import { outcomeOf, recordings, recordingsByPlace } from "../mutations/survey";
import { replay } from "../support/replay";

/** A sample of `npm run test:mutations`, which tries every place. */
const places = allPlaces();
/** One from each third of the code: they are in the order of their files. */
const SAMPLE = [0.2, 0.5, 0.8].map((part) => places[Math.floor(part * places.length)] as (typeof places)[number]);

test("places are found in every workflow, without a list", () => {
  expect(places.length).toBeGreaterThan(150);
  for (const kind of ["await", "command", "async function", "handler"])
    expect(places.filter((place) => place.kind === kind).length).toBeGreaterThan(15);
});

test("an extra timer is noticed, and the code as it is replays", async () => {
  const replays = new Replays(await bundleWithPlaces());
  try {
    const passing = await recordingsByPlace(replays, recordings());
    for (const place of SAMPLE)
      expect(await outcomeOf(replays, place, passing.get(place.id))).toMatchObject({ outcome: "noticed" });
    // The same change, really made: the code has one more timer and is otherwise as it was.
    const [place] = SAMPLE;
    const [recorded] = passing.get(place?.id as string) ?? [];
    const { code } = (await bundleWithPlaces(place?.id)) as { code: string };
    await expect(replay(recorded?.history as never, { code })).rejects.toBeInstanceOf(DeterminismViolationError);
  } finally {
    await replays.close();
  }
}, 120_000);
