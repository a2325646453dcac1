import { AsyncLocalStorage } from "node:async_hooks";
import { createActivities } from "../../src/activities";
import type { NavigatorActivities } from "../../src/core/calls/activities";
import { createModels } from "../../src/models";
import { ToolRegistry } from "../../src/tools";
import { ACTIVITY_NAMES, lateActivities } from "../../src/worker/late-activities";

const made = (activities: Partial<NavigatorActivities>) =>
  jest.fn(async () => activities as unknown as NavigatorActivities);

test("their names are those of the activities", () => {
  const all = createActivities({ models: createModels({ env: {} }), tools: new ToolRegistry([]), client: {} as never });
  expect([...ACTIVITY_NAMES].sort()).toEqual(Object.keys(all).sort());
  expect(Object.keys(lateActivities(made({})).activities)).toEqual(ACTIVITY_NAMES);
});

test("a call loads them once, and is made where it was asked for", async () => {
  const place = new AsyncLocalStorage<string>();
  const make = made({ priceModels: async (names) => ({ [`${names} in ${place.getStore()}`]: null }) });
  const { activities, load } = lateActivities(make);
  expect(make).not.toHaveBeenCalled();
  const calls = ["a", "b"].map((name) => place.run(`run ${name}`, () => activities.priceModels([name])));
  expect(await Promise.all(calls)).toEqual([{ "a in run a": null }, { "b in run b": null }]);
  await load();
  expect(make).toHaveBeenCalledTimes(1);
});

test("a call whose code could not be loaded fails, and the next one tries again", async () => {
  const make = made({ priceModels: async () => ({}) });
  make.mockRejectedValueOnce(new Error("no such file"));
  const { activities } = lateActivities(make);
  await expect(activities.priceModels([])).rejects.toThrow("no such file");
  expect(await activities.priceModels([])).toEqual({});
});
