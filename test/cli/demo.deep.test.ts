import { openPlace } from "../support/cli";

test("a second demo with a kill charges once as well, and reports when the worker was killed", async () => {
  const place = await openPlace("demo-twice");
  try {
    for (const _ of ["first", "second"])
      expect(await place.json(["demo", "--yes"])).toMatchObject({
        charges: 1,
        charge_requests: 2,
        refunds: 0,
        shipments: 1,
        task: { status: "COMPLETED", currentStep: "done" },
        crash: { killed_at: expect.any(Number) },
      });
  } finally {
    place.close();
  }
});
