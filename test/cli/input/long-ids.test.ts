import { type Commands, openPlace, type Place } from "../../support/cli";

/** An id that no workflow can have is refused at once, by every command that takes one: a server does not manage to answer that it has none. */

let place: Place;
let here: Commands;
beforeAll(async () => {
  place = await openPlace("long-ids");
  here = place.here();
});
afterAll(() => place.close());

const LONG = "x".repeat(100_000);

test.each<string[]>([
  ["why", LONG],
  ["log", LONG],
  ["log", `agent/${LONG}`],
  ["trace", LONG],
  ["effects", LONG],
  ["undo", LONG, "--yes"],
  ["cancel", `agent/${LONG}`],
  ["terminate", `agent/${LONG}`, "--yes", "--reason", "stuck"],
  ["journal", "show", LONG],
  ["journal", "set", LONG, "a", "1", "--by", "ana"],
  ["task", "show", LONG],
  ["task", "advance", LONG],
  ["task", "cancel", LONG],
  ["task", "pause", LONG],
  ["plan", "show", LONG],
  ["review", "show", LONG],
  ["review", "list", "--task", LONG],
  ["review", "decide", `${LONG}/step/1`, "passed", "--by", "ana"],
  ["workflow", "show", LONG],
  ["ledger", "export", LONG],
  ["schedule", "pause", LONG],
  ["schedule", "delete", LONG],
])("navigator %s %.12s", async (...args) => {
  const { code, message } = await here.refused(args);
  expect([code, message.length < 2_000]).toEqual(["invalid_id", true]);
});

test.each<string[]>([
  ["why", "~x"],
  ["effects", ""],
  ["trace", " "],
  ["cancel", ""],
])("navigator %s refuses an empty id", async (...args) => {
  const { code, message } = await here.refused(args);
  expect([code, message]).toEqual(["invalid_id", "The id of the run, task or plan is empty."]);
});
