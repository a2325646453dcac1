import { isOlderVersion } from "../../src/node/package-version";

test.each([
  ["0.9.0", "0.10.0"],
  ["0.1.0", "0.1.1"],
  ["1.0.0-beta.2", "1.0.0"],
  ["1.0.0-beta.9", "1.0.0-beta.10"],
  ["1.0.0-alpha", "1.0.0-beta"],
  ["0.9.9", "1.0.0-beta.1"],
])("%s is older than %s, and not the other way round", (one, other) => {
  expect([isOlderVersion(one, other), isOlderVersion(other, one)]).toEqual([true, false]);
  expect(isOlderVersion(one, one)).toBe(false);
});
