import { ownPlace } from "../../src/node/http/own-place";

test.each(["/", "/missions?state=failed", "/missions/agent%2F42#turns", "/inbox/x"])(
  "%j is a place of the page",
  (to) => expect(ownPlace(to)).toBe(to),
);

test.each([
  null,
  undefined,
  "",
  "missions",
  "https://other.example/",
  "//other.example",
  "/\\other.example",
  "/\t/other.example",
  "/\n/other.example",
  "/ /other.example",
  "/.//other.example",
  "/..//other.example",
  "\\/other.example",
  "/x\\y",
])("%j leads to the beginning", (to) => expect(ownPlace(to)).toBe("/"));
