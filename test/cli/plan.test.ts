import path from "node:path";
import { openPlace, type Place } from "../support/cli";

/** Plans as a new user meets them: the built command on a real server. */
let place: Place;
beforeAll(() => {
  place = openPlace("plan");
});
afterAll(() => place.close());

const LAMPS = path.join(__dirname, "../../examples/plans/lamps-scenario.yaml");

describe("navigator simulate plan", () => {
  test("the same scenario in memory and on a server: the same lines, times aside", async () => {
    const withoutTimes = (text: string) => text.replace(/\(\d+ ms\)/g, "(ms)");
    const inMemory = await place.run(["simulate", "plan", LAMPS]);
    const onServer = await place.run(["simulate", "plan", LAMPS, "--temporal"]);
    expect(onServer).toMatchObject({ code: 0, stderr: "" });
    expect(withoutTimes(onServer.stdout)).toBe(withoutTimes(inMemory.stdout));
  });
});
