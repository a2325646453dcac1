import { allAreSafe } from "./judge";
import { nested } from "./nesting";

allAreSafe(
  "nesting",
  nested.map((source) => ({ source, setting: {} })),
);
